// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/explore_context.hpp"

#include "app/common/table_file.hpp"
#include "app/desktop/document/document_file.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/document/variants.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/measure_box.hpp"
#include "widgets/forms/field_table.hpp"

#include <QDir>

#include <algorithm>
#include <thread>

namespace orrery {

ExploreContext::ExploreContext(const Catalog& catalog, const Theme& theme, QObject* parent) : QObject(parent), catalog_(catalog), theme_(theme), document_(Json::object()) {
    QStringList keys;
    for (const FieldSpec& spec : scenarioFields())
        if (spec.kind != FieldKind::derived) keys << QString::fromLatin1(spec.pointer);
    keys_.setStringList(keys);
}

void ExploreContext::setDocument(const Json& document) {
    document_ = document;
    ++edition_;
    emit documentChanged();
}

double ExploreContext::memoryCeiling() const { return host_.memoryCeiling ? host_.memoryCeiling() : usualMemoryCeiling; }

std::shared_ptr<const Trials> ExploreContext::trials() const { return std::make_shared<const Trials>(*document_, catalog_, host_.reader ? host_.reader() : FileReader()); }

std::vector<Measure> ExploreContext::measures() const { return measuresOf(*document_, result_ ? toJson(*result_) : Json::object()); }

std::optional<double> ExploreContext::secondsFor(double points) const {
    if (!(seconds_ > 0)) return std::nullopt;
    const double threads = std::max(1u, std::thread::hardware_concurrency());
    return points * seconds_ / std::clamp(points, 1.0, threads);
}

void ExploreContext::open(const std::vector<ScenarioEdit>& changes) { emit editRequested(changesWords(changes), changes); }

void ExploreContext::keepAsVariant(const std::vector<ScenarioEdit>& changes) {
    Json variants = Json::array();
    if (const Json* there = valueAt(*document_, "/variants"); there && there->is_array()) variants = *there;
    const std::string name = freeVariantName(*document_, planWords(changes).trimmed().toStdString());
    std::vector<ScenarioEdit> all = host_.openEdits ? host_.openEdits() : std::vector<ScenarioEdit>();
    all.insert(all.end(), changes.begin(), changes.end());
    variants.push_back({{"name", name}, {"edits", editsObject(all)}});
    emit editRequested(tr("Keep %1 as a variant").arg(QString::fromStdString(name)), {{"/variants", std::move(variants)}});
}

std::vector<std::string> ExploreContext::launchTools() const {
    const Json* kind = valueAt(*document_, "/workload/kind");
    const bool training = !kind || *kind == "training";
    std::vector<std::string> tools;
    for (const std::string& word : launchToolWords()) {
        const LaunchTool tool = *launchToolOf(word);
        const bool trains = tool == LaunchTool::megatron_lm || tool == LaunchTool::megatron_bridge || tool == LaunchTool::torchtitan;
        if (trains == training) tools.push_back(word);
    }
    return tools;
}

std::optional<QString> ExploreContext::launchText(const std::vector<ScenarioEdit>& changes, const std::string& tool, Problems& problems) const {
    const EditOutcome edited = applyEdits(*document_, changes);
    if (!edited.error.empty()) {
        Problem problem;
        problem.message = edited.error;
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    const std::optional<Scenario> scenario = trials()->read(changes, problems);
    if (!scenario) return std::nullopt;
    const auto text = orrery::launchText(*edited.document, *scenario, *launchToolOf(tool), problems);
    return text ? std::optional(QString::fromStdString(*text)) : std::nullopt;
}

QString ExploreContext::saveTables(const QString& title, const QString& name, const std::vector<PlainTable>& tables) const {
    if (!host_.dialogs) return {};
    const QString folder = host_.folder ? host_.folder() : QString();
    const QString path = host_.dialogs->saveFile(title, QDir(folder.isEmpty() ? QDir::homePath() : folder).filePath(name), tr("Tables (*.xlsx *.csv)"));
    if (path.isEmpty()) return {};
    const auto format = tableFormatOf(path.toStdString());
    if (!format) return tr("Nothing was saved: let the name end in .xlsx or .csv.");
    std::string error;
    const auto bytes = tableBytes(*format, tables, error);
    if (!bytes) return QString::fromStdString(error);
    const Problems problems = writeFileWhole(path, QByteArray::fromStdString(*bytes));
    return problems.empty() ? tr("Saved to %1").arg(QDir::toNativeSeparators(path)) : QString::fromStdString(problems.front().message);
}

} // namespace orrery
