// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explanations.hpp"

#include "core/base/json.hpp"

#include <utility>
#include <vector>

namespace orrery {

namespace {

/// Pointers that a person asks about first; those without a known origin are left out.
std::vector<std::pair<std::string, Quantity>> explained(const Result& result) {
    std::vector<std::string> pointers{"/parameters",
                                      "/iteration_time_s",
                                      "/tokens_per_s",
                                      "/tokens_per_s_per_accelerator",
                                      "/model_tflops_per_accelerator",
                                      "/mfu",
                                      "/hfu",
                                      "/mfu_causal",
                                      "/bubble_fraction",
                                      "/bubble_over_ideal",
                                      "/memory/peak_bytes",
                                      "/uncertainty/iteration_time_s",
                                      "/uncertainty/peak_memory_bytes",
                                      "/uncertainty/ttft_s",
                                      "/uncertainty/ttft_s/mean",
                                      "/uncertainty/tpot_s",
                                      "/uncertainty/tpot_s/mean",
                                      "/uncertainty/output_tokens_per_s",
                                      "/jitter/mean_s",
                                      "/jitter/p95_s",
                                      "/jitter/slowest_host/cost_s",
                                      "/ttft_s",
                                      "/ttft_s/mean",
                                      "/ttft_s/p99",
                                      "/tpot_s",
                                      "/tpot_s/mean",
                                      "/tpot_s/p99",
                                      "/request_latency_s",
                                      "/e2e_s/mean",
                                      "/queue_s/mean",
                                      "/output_tokens_per_s",
                                      "/output_tokens_per_s_per_accelerator",
                                      "/goodput_requests_per_s",
                                      "/kv_cache/bytes_per_token",
                                      "/kv_cache/blocks",
                                      "/kv_cache_utilisation",
                                      "/cost_per_million_output_tokens",
                                      "/energy_j_per_output_token"};
    for (std::size_t i = 0; i < timePartCount; ++i) {
        pointers.push_back("/time_breakdown_s/" + std::string(toString(static_cast<TimePart>(i))));
    }
    std::vector<std::pair<std::string, Quantity>> list;
    for (const std::string& pointer : pointers) {
        if (std::optional<Quantity> quantity = explain(result, pointer)) list.emplace_back(pointer, std::move(*quantity));
    }
    return list;
}

Json document(const Quantity& quantity) {
    Json object{{"name", quantity.name},
                {"value", quantity.value},
                {"unit", quantity.unit},
                {"source", toString(quantity.source)}};
    if (!quantity.formula.empty()) object["formula"] = quantity.formula;
    if (!quantity.reference.empty()) object["reference"] = quantity.reference;
    if (!quantity.inputs.empty()) {
        Json inputs = Json::array();
        for (const Quantity& input : quantity.inputs) inputs.push_back(document(input));
        object["inputs"] = std::move(inputs);
    }
    return object;
}

} // namespace

void printExplanations(const Result& result, std::ostream& out) {
    out << "\nWhere the numbers come from\n";
    for (const auto& [pointer, quantity] : explained(result)) out << '\n'
                                                                  << pointer << '\n'
                                                                  << toText(quantity);
}

Json explanationsDocument(const Result& result) {
    Json object = Json::object();
    for (const auto& [pointer, quantity] : explained(result)) object[pointer] = document(quantity);
    return object;
}

} // namespace orrery
