// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/plan_facts.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

namespace orrery {
namespace {

const Json* at(const Json& document, const char* pointer) {
    const Json::json_pointer place{std::string(pointer)};
    if (!document.is_object() || !document.contains(place)) return nullptr;
    const Json& value = document.at(place);
    return value.is_null() ? nullptr : &value;
}

int number(const Json& document, const char* pointer, int otherwise) {
    const Json* value = at(document, pointer);
    return value && value->is_number_integer() ? value->get<int>() : otherwise;
}

std::string word(const Json& document, const char* pointer, const char* otherwise) {
    const Json* value = at(document, pointer);
    return value && value->is_string() ? value->get<std::string>() : otherwise;
}

std::optional<Architecture> modelOf(const Json& document, const Catalog& catalog) {
    const Json* config = at(document, "/model/config");
    const std::string preset = word(document, "/model/preset", "");
    if (!config)
        for (const ModelEntry& entry : catalog.models())
            if (entry.id == preset) config = &*entry.config;
    if (!config) return std::nullopt;
    Problems problems;
    std::optional<Architecture> model = importArchitecture(*config, "/model", problems);
    return hasErrors(problems) ? std::nullopt : std::move(model);
}

} // namespace

PlanFacts planFacts(const Json& document, const Catalog& catalog) {
    PlanFacts facts;
    facts.model = modelOf(document, catalog);
    facts.tensor = number(document, "/parallelism/tensor", 1);
    facts.pipeline = number(document, "/parallelism/pipeline", 1);
    facts.chunksGiven = at(document, "/parallelism/virtual_pipeline") != nullptr;
    facts.chunks = number(document, "/parallelism/virtual_pipeline", 1);
    facts.context = number(document, "/parallelism/context", 1);
    facts.expert = number(document, "/parallelism/expert", 1);
    facts.zeroStage = number(document, "/parallelism/zero_stage", 0);
    const Json* sequence = at(document, "/parallelism/sequence");
    facts.sequence = sequence && *sequence == Json(true);
    facts.precision = word(document, "/workload/precision", "bf16");
    facts.task = word(document, "/workload/task", "pretrain");
    facts.kind = word(document, "/workload/kind", "training");
    facts.arrival = word(document, "/workload/requests/arrival/process", "");
    facts.requestsFile = word(document, "/workload/requests/file", "");
    facts.schedule = word(document, "/parallelism/schedule", "");
    return facts;
}

} // namespace orrery
