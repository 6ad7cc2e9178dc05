// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/examples.hpp"

#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/resources.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace orrery {
namespace {

constexpr std::string_view folder = "examples/";
constexpr std::string_view exampleEnding = ".orrery.json";
constexpr std::string_view studyEnding = ".orrery-study.json";
const QString firstFile = QStringLiteral("llama-3.1-70b-8xdgx-h100.orrery.json");

QString named(const Json& document, const QString& otherwise) {
    const auto name = document.find("name");
    return name != document.end() && name->is_string() ? QString::fromStdString(name->get<std::string>()) : otherwise;
}

std::vector<Example> shipped(std::string_view ending) {
    std::vector<Example> examples;
    for (const std::string_view name : resourceNames()) {
        if (!name.starts_with(folder) || !name.ends_with(ending)) continue;
        Problems problems;
        std::optional<Json> document = parseJson(resourceText(name), std::string(name), problems);
        if (!document || !document->is_object()) continue; // the tests read every one
        const std::string_view file = name.substr(folder.size());
        const QString fileName = QString::fromUtf8(file.data(), static_cast<qsizetype>(file.size()));
        const QString title = named(*document, fileName);
        examples.push_back({fileName, title, std::move(*document)});
    }
    return examples;
}

} // namespace

std::vector<Example> shippedExamples() { return shipped(exampleEnding); }
std::vector<Example> shippedStudies() { return shipped(studyEnding); }

Example firstExample() {
    std::vector<Example> examples = shippedExamples();
    const auto first =
        std::find_if(examples.begin(), examples.end(), [](const Example& example) { return example.fileName == firstFile; });
    if (first != examples.end()) return std::move(*first);
    return {firstFile, QCoreApplication::translate("orrery::Examples", "New scenario"), newScenario()};
}

Json newScenario() {
    Json scenario = Json::object();
    scenario["format"] = "orrery-scenario/1";
    scenario["name"] = QCoreApplication::translate("orrery::Examples", "New scenario").toStdString();
    scenario["model"] = {{"preset", "llama-3.1-8b"}};
    scenario["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}};
    scenario["workload"] = {{"kind", "training"}, {"sequence_length", 8192}, {"global_batch_size", 64}, {"micro_batch_size", 1}, {"precision", "bf16"}};
    scenario["parallelism"] = {{"tensor", 2}, {"sequence", true}, {"pipeline", 1}, {"zero_stage", 1}};
    scenario["execution"] = {{"recompute", "selective"}, {"attention", "flash"}};
    return scenario;
}

} // namespace orrery
