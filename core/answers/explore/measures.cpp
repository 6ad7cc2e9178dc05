// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/measures.hpp"

#include "core/base/json.hpp"
#include "core/results/report/result_pointer.hpp"

#include <algorithm>

namespace orrery {
namespace {

std::vector<std::string> headlinesOf(const Json& document) {
    const Json kind = document.value(Json::json_pointer("/workload/kind"), Json());
    if (kind == "inference") return {"/ttft_s", "/tpot_s", "/output_tokens_per_s_per_accelerator"};
    if (kind == "serving") return {"/ttft_s/p50", "/tpot_s/p50", "/output_tokens_per_s_per_accelerator"};
    return {"/iteration_time_s", "/tokens_per_s_per_accelerator", "/mfu", "/memory/peak_bytes"};
}

} // namespace

Measure measureFor(const Json& document, const std::string& asked) {
    const auto measures = document.is_object() ? document.find("measures") : document.end();
    if (measures != document.end() && measures->is_object()) {
        const auto named = measures->find(asked);
        if (named != measures->end() && named->is_string()) return {asked, named->get<std::string>()};
    }
    return {asked, asked};
}

std::vector<Measure> measuresFor(const Json& document, const std::vector<std::string>& asked) {
    std::vector<std::string> names = asked;
    const auto measures = document.find("measures");
    if (measures != document.end() && measures->is_object())
        for (const auto& [name, pointer] : measures->items()) names.push_back(name);
    if (names.empty()) names = headlinesOf(document);
    std::vector<Measure> all;
    for (const std::string& name : names) {
        const bool known = std::any_of(all.begin(), all.end(), [&](const Measure& measure) { return measure.name == name; });
        if (!known) all.push_back(measureFor(document, name));
    }
    return all;
}

Json measured(const Json& result, const Measure& measure) {
    const Json* value = resultAt(result, measure.pointer);
    return value ? *value : Json();
}

Problems problemsOf(const std::vector<Measure>& measures, const Json& result) {
    Problems problems;
    for (const Measure& measure : measures) {
        if (!resultAt(result, measure.pointer)) problems.push_back(noSuchFigure(result, measure.pointer));
    }
    return problems;
}

} // namespace orrery
