// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/evidence.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>
#include <stdexcept>

namespace orrery {
namespace {

constexpr const char* evidenceFormat = "orrery-evidence/1";
constexpr const char* scenarioFormat = "orrery-scenario/1";
constexpr const char* about =
    "Measured runs of training and of serving, each with its source and the scenario it was, and what the program predicted when this file was made: "
    "predicted with the shipped constants, predicted_left_out with constants fitted without the run's group. "
    "Made by `orrery-cli validate CASES... --evidence`, never by hand.";

/// Values that many runs share stand once in a list; a run names its place in it.
class Shared {
public:
    std::size_t place(const Json& value) {
        const auto [found, fresh] = places_.try_emplace(value.dump(), list_.size());
        if (fresh) list_.push_back(value);
        return found->second;
    }
    const std::vector<Json>& list() const { return list_; }

private:
    std::map<std::string, std::size_t> places_;
    std::vector<Json> list_;
};

Json figuresDocument(const MeasuredRun& run, std::optional<double> MeasuredFigure::*value) {
    Json object = Json::object();
    for (const MeasuredFigure& figure : run.figures)
        if (const std::optional<double>& one = figure.*value) object[figure.metric] = *one;
    return object;
}

/// Without what the run's own keys say again: format, name where it is the id, and the model itself. A scenario without a name says so by null.
Json shortScenario(const MeasuredRun& run, Shared& models) {
    Json scenario = Json::object();
    for (const auto& [key, value] : run.scenario->items()) {
        if (key == "format" && value == scenarioFormat) continue;
        if (key == "name" && value == run.id) continue;
        if (key == "model") scenario[key] = models.place(value);
        else scenario[key] = value;
    }
    if (!run.scenario->contains("name")) scenario["name"] = nullptr;
    return scenario;
}

Json wholeScenario(const Json& shortened, const std::string& id, const Json& models) {
    Json scenario{{"format", scenarioFormat}, {"name", id}};
    for (const auto& [key, value] : shortened.items())
        scenario[key] = key == "model" ? models.at(value.get<std::size_t>()) : value;
    if (scenario["name"].is_null()) scenario.erase("name");
    return scenario;
}

Json document(const MeasuredRun& run, Shared& sources, Shared& models) {
    Json one{{"id", run.id},
             {"group", run.group},
             {"source", sources.place({{"text", run.source}, {"url", run.sourceUrl}})},
             {"accelerator", run.accelerator},
             {"accelerators", run.accelerators},
             {"model", run.model},
             {"kind", run.kind},
             {"family", run.family},
             {"parameters", run.parameters},
             {"framework", run.framework},
             {"precision", run.precision}};
    if (run.queued) one["queued"] = true;
    Json measured = Json::object();
    for (const MeasuredFigure& figure : run.figures) measured[figure.metric] = figure.measured;
    Json predicted = figuresDocument(run, &MeasuredFigure::predicted);
    if (run.outOfMemory) measured["out_of_memory"] = *run.outOfMemory;
    if (run.predictedOutOfMemory) predicted["out_of_memory"] = *run.predictedOutOfMemory;
    one["measured"] = std::move(measured);
    one["predicted"] = std::move(predicted);
    if (Json leftOut = figuresDocument(run, &MeasuredFigure::predictedLeftOut); !leftOut.empty()) one["predicted_left_out"] = std::move(leftOut);
    if (run.memoryKind != "device") one["memory_kind"] = run.memoryKind;
    one["scenario"] = shortScenario(run, models);
    return one;
}

void addList(std::string& text, const char* key, const std::vector<Json>& list) {
    text += std::string("\"") + key + "\": [\n";
    for (std::size_t i = 0; i < list.size(); ++i) text += list[i].dump() + (i + 1 < list.size() ? ",\n" : "\n");
    text += "]";
}

/// A text as `toText` writes it, without models and scenarios: the last of what a run's line says.
std::string withoutScenarios(std::string_view text) {
    constexpr std::string_view models = "\"models\": [", scenario = ",\"scenario\":{";
    std::string shorter;
    shorter.reserve(text.size() / 2);
    bool isModel = false;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
        const std::string_view line = text.substr(from, end - from);
        from = end;
        isModel = isModel && !line.starts_with("]");
        const std::size_t at = line.find(scenario);
        if (at != std::string_view::npos) shorter.append(line.substr(0, at)).append(line.ends_with("},\n") ? "},\n" : "}\n");
        else if (!isModel) shorter.append(line);
        isModel = isModel || line.starts_with(models);
    }
    return shorter;
}

MeasuredRun readRun(const Json& one, const Json& sources, const Json& models) {
    MeasuredRun run;
    run.id = one.at("id").get<std::string>();
    run.group = one.at("group").get<std::string>();
    const Json& source = sources.at(one.at("source").get<std::size_t>());
    run.source = source.at("text").get<std::string>();
    run.sourceUrl = source.at("url").get<std::string>();
    run.accelerator = one.at("accelerator").get<std::string>();
    run.accelerators = one.at("accelerators").get<double>();
    run.model = one.at("model").get<std::string>();
    run.kind = one.at("kind").get<std::string>();
    run.family = one.at("family").get<std::string>();
    run.parameters = one.at("parameters").get<double>();
    run.queued = one.value("queued", false);
    run.framework = one.at("framework").get<std::string>();
    run.precision = one.at("precision").get<std::string>();
    run.memoryKind = one.value("memory_kind", "device");
    const Json& predicted = one.at("predicted");
    const Json leftOut = one.value("predicted_left_out", Json::object());
    const auto number = [](const Json& object, const std::string& key) {
        return object.contains(key) ? std::optional(object.at(key).get<double>()) : std::nullopt;
    };
    for (const auto& [metric, value] : one.at("measured").items()) {
        if (metric == "out_of_memory") run.outOfMemory = value.get<bool>();
        else run.figures.push_back({metric, value.get<double>(), number(predicted, metric), number(leftOut, metric)});
    }
    if (predicted.contains("out_of_memory")) run.predictedOutOfMemory = predicted.at("out_of_memory").get<bool>();
    if (!models.empty()) run.scenario = wholeScenario(one.at("scenario"), run.id, models);
    return run;
}

} // namespace

std::string toText(const Evidence& evidence) {
    Shared sources, models;
    std::vector<Json> cases;
    for (const MeasuredRun& run : evidence.runs) cases.push_back(document(run, sources, models));
    std::string text = std::string("{\n\"format\": \"") + evidenceFormat + "\",\n\"about\": " + Json(about).dump() + ",\n";
    addList(text, "sources", sources.list());
    text += ",\n";
    addList(text, "models", models.list());
    text += ",\n";
    addList(text, "cases", cases);
    return text + "\n}\n";
}

Evidence evidenceFromText(std::string_view text, EvidenceParts parts) {
    std::string at = "the document";
    try {
        const Json document = parts == EvidenceParts::all ? Json::parse(text) : Json::parse(withoutScenarios(text));
        if (document.at("format") != evidenceFormat) throw std::runtime_error(std::string("its format is not ") + evidenceFormat);
        Evidence evidence;
        for (const Json& one : document.at("cases")) {
            at = "run " + one.value("id", std::to_string(evidence.runs.size()));
            evidence.runs.push_back(readRun(one, document.at("sources"), document.at("models")));
        }
        return evidence;
    } catch (const std::exception& error) {
        throw std::runtime_error("evidence, " + at + ": " + error.what());
    }
}

namespace {

/// Keeps the digits that mean anything, so that the file stays small.
double rounded(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.7g", value);
    return std::strtod(text, nullptr);
}

/// The catalogue's models by shape, to call a config by the name it is known by.
class ModelNames {
public:
    explicit ModelNames(const Catalog& catalog) {
        for (const ModelEntry& entry : catalog.models()) {
            Problems problems;
            if (const auto model = importArchitecture(entry.config, "", problems)) names_.try_emplace(shape(*model), entry.id);
        }
    }

    std::string name(const Architecture& model) const {
        if (const auto found = names_.find(shape(model)); found != names_.end()) return found->second;
        char size[40];
        std::snprintf(size, sizeof size, " %.3g B", model.parameters() / 1e9);
        return model.modelType + size;
    }

private:
    static std::string shape(const Architecture& model) {
        return model.modelType + " " + formatNumber(model.parameters()) + " " + std::to_string(model.layers) + " " + std::to_string(model.hidden);
    }

    std::map<std::string, std::string> names_;
};

std::string_view word(MeasuredMemory kind) {
    switch (kind) {
    case MeasuredMemory::device: return "device";
    case MeasuredMemory::allocated: return "allocated";
    case MeasuredMemory::reserved: return "reserved";
    }
    return "";
}

std::string textAt(const Json& document, const char* section, const char* key) {
    if (!document.is_object() || !document.contains(section) || !document[section].is_object()) return {};
    const Json& object = document[section];
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

void describe(MeasuredRun& run, const Catalog& catalog, const ModelNames& names, const FileReader& readFile) {
    const ScenarioReading reading = readScenario(run.scenario, catalog, readFile);
    if (!reading.scenario) { // what can be said of a scenario that does not run
        run.accelerator = textAt(run.scenario, "cluster", "accelerator");
        run.framework = textAt(run.scenario, "execution", "framework");
        run.model = textAt(run.scenario, "model", "preset");
        run.precision = textAt(run.scenario, "workload", "precision");
        return;
    }
    const Scenario& scenario = *reading.scenario;
    run.accelerator = scenario.cluster.accelerator.id;
    run.accelerators = scenario.parallelism.ranks();
    const std::string preset = textAt(run.scenario, "model", "preset");
    run.model = preset.empty() ? names.name(scenario.model) : preset;
    run.kind = scenario.model.experts ? "moe" : "dense";
    run.family = scenario.model.modelType;
    run.parameters = scenario.model.parameters();
    run.queued = std::holds_alternative<ServingWorkload>(scenario.workload);
    run.framework = scenario.execution.profile.id;
    run.precision = wordOf(scenario.precision());
}

} // namespace

PredictedValues predictedValues(const Validation& validation) {
    PredictedValues values;
    for (const ScoredRow& row : validation.rows)
        if (row.predicted.is_number()) values[{row.id, row.metric}] = row.predicted.get<double>();
    return values;
}

PredictedValues predictedValues(const Json& validation, Problems& problems) {
    PredictedValues values;
    if (!validation.is_object() || validation.value("format", Json()) != "orrery-validation/1" || !validation.contains("cases")) {
        Problem problem;
        problem.code = "wrong-format";
        problem.pointer = "/format";
        problem.message = "This is not what \"validate --json\" prints.";
        problem.mend = "Give the output of \"orrery-cli validate CASES --leave-out-group --json\".";
        problems.push_back(std::move(problem));
        return values;
    }
    for (const Json& row : validation["cases"])
        if (row.is_object() && row.contains("predicted") && row["predicted"].is_number())
            values[{row.value("id", ""), row.value("metric", "")}] = row["predicted"].get<double>();
    return values;
}

Evidence makeEvidence(const std::vector<MeasuredCase>& cases, const Validation& validation, const PredictedValues& leftOut,
                      const Catalog& catalog, const FileReader& readFile) {
    const PredictedValues predicted = predictedValues(validation);
    std::map<std::string, bool> outOfMemory;
    for (const ScoredRow& row : validation.rows)
        if (row.metric == "out_of_memory" && row.predicted.is_boolean()) outOfMemory[row.id] = row.predicted.get<bool>();
    const ModelNames names(catalog);
    const auto find = [](const PredictedValues& values, const std::string& id, const std::string& metric) {
        const auto found = values.find({id, metric});
        return found == values.end() ? std::nullopt : std::optional(rounded(found->second));
    };
    Evidence evidence;
    for (const MeasuredCase& one : cases) {
        MeasuredRun run;
        run.id = one.id;
        run.group = one.group;
        run.source = one.source;
        run.sourceUrl = one.sourceUrl;
        run.memoryKind = word(one.memoryKind);
        run.scenario = one.scenario;
        describe(run, catalog, names, readFile);
        run.parameters = rounded(run.parameters);
        for (const auto& [metric, value] : one.measured)
            run.figures.push_back({metric, value, find(predicted, one.id, metric), find(leftOut, one.id, metric)});
        run.outOfMemory = one.outOfMemory;
        if (const auto found = outOfMemory.find(one.id); found != outOfMemory.end()) run.predictedOutOfMemory = found->second;
        evidence.runs.push_back(std::move(run));
    }
    return evidence;
}

std::vector<std::size_t> sourcesOf(const Evidence& evidence) {
    std::vector<std::size_t> parent(evidence.runs.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t run) {
        while (parent[run] != run) run = parent[run] = parent[parent[run]];
        return run;
    };
    std::map<std::pair<bool, std::string>, std::size_t> first;
    for (std::size_t run = 0; run < parent.size(); ++run) {
        const MeasuredRun& one = evidence.runs[run];
        for (const auto& [isGroup, name] : {std::pair(true, one.group), std::pair(false, one.source + one.sourceUrl)}) {
            const std::size_t known = root(first.try_emplace({isGroup, name}, run).first->second), own = root(run);
            parent[std::max(known, own)] = std::min(known, own);
        }
    }
    std::map<std::size_t, std::size_t> number;
    std::vector<std::size_t> sources;
    for (std::size_t run = 0; run < parent.size(); ++run) sources.push_back(number.try_emplace(root(run), number.size()).first->second);
    return sources;
}

} // namespace orrery
