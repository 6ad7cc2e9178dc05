// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/document.hpp"

#include "app/desktop/document/document_file.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/variants.hpp"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Edits of the same places within this time (ms) are one step: typing 128 into a field is one thing to undo.
constexpr qint64 mergeWindow = 1000;

} // namespace

ScenarioDocument::ScenarioDocument(QObject* parent) : QObject(parent) {
    connect(&undoStack_, &QUndoStack::cleanChanged, this, [this](bool clean) { emit modifiedChanged(!clean); });
}

QString ScenarioDocument::displayName() const {
    if (!filePath_.isEmpty()) return QFileInfo(filePath_).fileName();
    const auto name = json_->find("name");
    if (name != json_->end() && name->is_string()) {
        QString text = QString::fromStdString(name->get<std::string>()).trimmed();
        if (!text.isEmpty()) return text;
    }
    return tr("Untitled");
}

QString ScenarioDocument::baseFolder() const {
    return filePath_.isEmpty() ? baseFolder_ : QFileInfo(filePath_).absolutePath();
}

QByteArray ScenarioDocument::toBytes() const { return scenarioBytes(json_); }

bool ScenarioDocument::edit(const QString& text, const std::vector<ScenarioEdit>& edits) {
    if (open_.isEmpty()) return editFile(text, edits, open_);
    // Another document altogether is no change of a variant.
    if (std::any_of(edits.begin(), edits.end(), [](const ScenarioEdit& edit) { return edit.pointer.empty(); })) return editFile(text, edits, {});
    const auto ofFile = inOpenVariant(edits);
    return ofFile && editFile(text, *ofFile, open_);
}

bool ScenarioDocument::editFile(const QString& text, const std::vector<ScenarioEdit>& edits, const QString& open) {
    EditOutcome outcome = applyEdits(json_, edits);
    if (!outcome.error.empty()) return false;
    if (outcome.document == json_) return open == open_ || openVariant(open);
    undoStack_.push(new EditCommand(*this, text, edits, std::move(outcome.inverse), open, std::move(outcome.document)));
    return true;
}

/// What edits of the shown variant change in the file: the variant's list of edits as a whole, and what all variants share.
std::optional<std::vector<ScenarioEdit>> ScenarioDocument::inOpenVariant(const std::vector<ScenarioEdit>& edits) const {
    std::vector<ScenarioEdit> shared, own;
    for (const ScenarioEdit& edit : edits) (isSharedByVariants(edit.pointer) ? shared : own).push_back(edit);
    if (own.empty()) return shared;
    const Json& list = json_->at("variants");
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_object() || list[i].value("name", "") != open_.toStdString()) continue;
        std::vector<ScenarioEdit> all;
        for (const ScenarioVariant& variant : variantsOf(json_))
            if (variant.name == open_.toStdString()) all = variant.edits;
        all.insert(all.end(), own.begin(), own.end());
        const EditOutcome outcome = applyEdits(json_, all);
        if (!outcome.error.empty()) return std::nullopt;
        shared.push_back({"/variants/" + std::to_string(i) + "/edits", editsObject(differences(json_, *outcome.document))});
        return shared;
    }
    return std::nullopt;
}

bool ScenarioDocument::openVariant(const QString& name) {
    if (name == open_) return true;
    const QString before = std::exchange(open_, name);
    showOpen();
    if (open_ != name) {
        open_ = before;
        showOpen();
        return false;
    }
    emit changed();
    return true;
}

void ScenarioDocument::showOpen() {
    if (open_.isEmpty()) return;
    Problems problems;
    const auto variant = documentOfVariant(json_, open_.toStdString(), problems);
    if (variant) shown_ = *variant;
    else open_.clear();
}

void ScenarioDocument::reset(Json json, const QString& baseFolder) {
    undoStack_.clear();
    undoStack_.setClean();
    baseFolder_ = baseFolder;
    fileHash_.clear();
    open_.clear();
    saved_ = std::move(json);
    setFilePath({});
    emit replaced();
    setJson(saved_);
}

void ScenarioDocument::startUnsaved(Json json, const QString& baseFolder) {
    reset(std::move(json), baseFolder);
    undoStack_.resetClean();
    emit modifiedChanged(true);
}

void ScenarioDocument::restore(Json json, const QString& filePath, const QByteArray& fileHash) {
    undoStack_.clear();
    baseFolder_.clear();
    fileHash_ = fileHash;
    open_.clear();
    saved_ = std::move(json);
    setFilePath(filePath);
    emit replaced();
    setJson(saved_);
    undoStack_.resetClean();
    emit modifiedChanged(true);
}

Problems ScenarioDocument::load(const QString& path) {
    Problems problems;
    const QByteArray hash = contentHash(path); // before: a change in between is then one since
    std::optional<Json> json = readScenarioFile(path, problems);
    if (json) load(path, std::move(*json), hash);
    return problems;
}

void ScenarioDocument::load(const QString& path, Json json, const QByteArray& fileHash) {
    undoStack_.clear();
    undoStack_.setClean();
    fileHash_ = fileHash;
    open_.clear();
    saved_ = std::move(json);
    setFilePath(QFileInfo(path).absoluteFilePath());
    emit replaced();
    setJson(saved_);
}

bool ScenarioDocument::isFileChanged() const { return !filePath_.isEmpty() && QFileInfo::exists(filePath_) && contentHash(filePath_) != fileHash_; }

Problems ScenarioDocument::save(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const Json moved = withRebasedFiles(json_, baseFolder(), QFileInfo(absolute).absolutePath());
    Problems problems = writeFileWhole(absolute, scenarioBytes(moved));
    if (hasErrors(problems)) return problems;
    const bool rebased = !(json_ == moved);
    fileHash_ = contentHash(absolute);
    setFilePath(absolute);
    if (rebased) {
        undoStack_.push(new EditCommand(*this, tr("Move to another folder"), {{"/model", moved.at("model")}},
                                        {{"/model", json_->at("model")}}, open_));
    }
    saved_ = json_;
    undoStack_.setClean();
    return problems;
}

Problems ScenarioDocument::embedModelConfig(const QString& path) {
    Problems problems;
    if (const std::optional<Json> config = readModelConfigFile(path, problems)) embedModelConfig(path, *config);
    return problems;
}

void ScenarioDocument::embedModelConfig(const QString& path, const Json& config) {
    Json model = Json::object();
    model["config"] = config;
    edit(tr("Model from %1").arg(QFileInfo(path).fileName()), {{"/model", model}});
}

void ScenarioDocument::setJson(BoxedJson json) {
    json_ = std::move(json);
    showOpen();
    emit changed();
}

void ScenarioDocument::setFilePath(const QString& path) {
    if (path == filePath_) return;
    filePath_ = path;
    emit filePathChanged(filePath_);
}

EditCommand::EditCommand(ScenarioDocument& document, const QString& text, std::vector<ScenarioEdit> forward,
                         std::vector<ScenarioEdit> inverse, QString open, std::optional<BoxedJson> edited)
    : QUndoCommand(text), document_(document), forward_(std::move(forward)), inverse_(std::move(inverse)), openBefore_(document.open_), openAfter_(std::move(open)), edited_(std::move(edited)) {
    age_.start();
}

void EditCommand::redo() {
    document_.open_ = openAfter_;
    const std::optional<BoxedJson> edited = std::exchange(edited_, {});
    document_.setJson(edited ? *edited : applyEdits(document_.json_, forward_).document);
}

void EditCommand::undo() {
    document_.open_ = openBefore_;
    document_.setJson(applyEdits(document_.json_, inverse_).document);
}

bool EditCommand::mergeWith(const QUndoCommand* other) {
    const auto* later = static_cast<const EditCommand*>(other);
    if (age_.elapsed() > mergeWindow || text() != later->text() || openAfter_ != later->openBefore_ || later->openAfter_ != later->openBefore_ || !samePlaces(forward_, later->forward_)) return false;
    // Appending to an array and removing from one mean another place each time.
    for (const ScenarioEdit& edit : forward_) {
        if (edit.value->is_null() || edit.pointer.ends_with("/-")) return false;
    }
    for (const ScenarioEdit& edit : later->forward_) {
        if (edit.value->is_null()) return false;
    }
    forward_ = later->forward_;
    age_.restart();
    setObsolete(applyEdits(document_.json_, inverse_).document == document_.json_);
    return true;
}

} // namespace orrery
