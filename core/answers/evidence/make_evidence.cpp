// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/make_evidence.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace orrery {

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

} // namespace orrery
