// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/document.hpp"

#include "app/desktop/document/document_file.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <QDir>
#include <QFileInfo>

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
    const auto name = json_.find("name");
    if (name != json_.end() && name->is_string()) {
        const QString text = QString::fromStdString(name->get<std::string>()).trimmed();
        if (!text.isEmpty()) return text;
    }
    return tr("Untitled");
}

QString ScenarioDocument::baseFolder() const {
    return filePath_.isEmpty() ? baseFolder_ : QFileInfo(filePath_).absolutePath();
}

QByteArray ScenarioDocument::toBytes() const { return scenarioBytes(json_); }

bool ScenarioDocument::edit(const QString& text, const std::vector<ScenarioEdit>& edits) {
    EditOutcome outcome = applyEdits(json_, edits);
    if (!outcome.error.empty()) return false;
    if (outcome.document == json_) return true;
    undoStack_.push(new EditCommand(*this, text, edits, std::move(outcome.inverse)));
    return true;
}

void ScenarioDocument::reset(Json json, const QString& baseFolder) {
    undoStack_.clear();
    undoStack_.setClean();
    baseFolder_ = baseFolder;
    fileHash_.clear();
    setFilePath({});
    emit replaced();
    setJson(std::move(json));
}

void ScenarioDocument::restore(Json json, const QString& filePath, const QByteArray& fileHash) {
    undoStack_.clear();
    baseFolder_.clear();
    fileHash_ = fileHash;
    setFilePath(filePath);
    emit replaced();
    setJson(std::move(json));
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
    setFilePath(QFileInfo(path).absoluteFilePath());
    emit replaced();
    setJson(std::move(json));
}

bool ScenarioDocument::isFileChanged() const { return !filePath_.isEmpty() && QFileInfo::exists(filePath_) && contentHash(filePath_) != fileHash_; }

Problems ScenarioDocument::save(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const Json moved = withRebasedFiles(json_, baseFolder(), QFileInfo(absolute).absolutePath());
    Problems problems = writeFileWhole(absolute, scenarioBytes(moved));
    if (hasErrors(problems)) return problems;
    const bool rebased = moved != json_;
    fileHash_ = contentHash(absolute);
    setFilePath(absolute);
    if (rebased) {
        undoStack_.push(new EditCommand(*this, tr("Move to another folder"), {{"/model", moved.at("model")}},
                                        {{"/model", json_.at("model")}}));
    }
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

void ScenarioDocument::setJson(Json json) {
    json_ = std::move(json);
    emit changed();
}

void ScenarioDocument::setFilePath(const QString& path) {
    if (path == filePath_) return;
    filePath_ = path;
    emit filePathChanged(filePath_);
}

EditCommand::EditCommand(ScenarioDocument& document, const QString& text, std::vector<ScenarioEdit> forward,
                         std::vector<ScenarioEdit> inverse)
    : QUndoCommand(text), document_(document), forward_(std::move(forward)), inverse_(std::move(inverse)) {
    age_.start();
}

void EditCommand::redo() { document_.setJson(applyEdits(document_.json_, forward_).document); }

void EditCommand::undo() { document_.setJson(applyEdits(document_.json_, inverse_).document); }

bool EditCommand::mergeWith(const QUndoCommand* other) {
    const auto* later = static_cast<const EditCommand*>(other);
    if (age_.elapsed() > mergeWindow || text() != later->text() || !samePlaces(forward_, later->forward_)) return false;
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
