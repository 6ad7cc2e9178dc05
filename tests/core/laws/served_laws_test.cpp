// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of engines over models, chips and serving profiles: one request served is a static batch of one, whatever format the cache has.
#include "core/answers/simulation/simulate.hpp"
#include "core/scenario/precisions.hpp"
#include "tests/core/laws/law_plans.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace orrery::test {
namespace {

struct OneRequest {
    Json served, batch;
};

OneRequest anyRequest(RandomSource& random) {
    const Json common = engineOnOneHost(random);
    const int input = 1 + static_cast<int>(random.logBetween(10, 3000)), output = 2 + static_cast<int>(random.logBetween(1, 200));
    const Json cache = random.pick<Json>({Json(), Json(), "auto", "fp8"});
    OneRequest one{common, common};
    one.served["workload"].update({{"kind", "serving"}, {"requests", {{"count", 1}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", input}, {"output_tokens", output}}}, {"engine", {{"enable_chunked_prefill", false}, {"max_num_batched_tokens", 8192}}}});
    one.batch["workload"].update({{"kind", "inference"}, {"batch_size", 1}, {"input_length", input}, {"output_length", output}});
    if (!cache.is_null()) {
        one.served["workload"]["engine"]["kv_cache_dtype"] = cache;
        one.batch["workload"]["kv_cache_precision"] = cache;
    }
    return one;
}

TEST(ServedLaws, OneRequestServedIsAStaticBatchOfOne) {
    Law law("one request served takes as long per token as a static batch of one");
    RandomSource random = lawSource(951);
    while (law.tried() < 2 * plansOfEveryChip) {
        const OneRequest one = anyRequest(random);
        const ResultPtr batch = simulatedPlan(one.batch), served = simulatedPlan(one.served);
        if (!batch || !served || !served->fits) continue;
        const double alone = batch->inference()->tpot, asRequest = served->serving()->served.tpot.mean;
        const auto name = [&] { return one.served.dump() + ": " + std::to_string(1e3 * alone) + " ms a token, served " + std::to_string(1e3 * asRequest); };
        law.atLeast(alone, asRequest, 0.02, name);
        law.atLeast(asRequest, alone, 0.02, name);
    }
    law.settle(2 * plansOfEveryChip);
}

/// A cache of half the bytes is read in half the time; what products do is not its business.
TEST(ServedLaws, TheCachesFormatChangesNoProduct) {
    Law law("the format of the cache changes what reads the cache alone");
    RandomSource random = lawSource(952);
    const auto products = [](const Json& document) -> std::optional<double> {
        const ResultPtr result = simulatedPlan(document);
        if (!result) return std::nullopt;
        double seconds = 0;
        for (const OperationRow& row : result->operations)
            if (row.flops > 0 && row.kind.find("attention.core") == std::string::npos) seconds += row.time;
        return seconds;
    };
    while (law.tried() < plansOfEveryChip) {
        Json document = anyRequest(random).batch;
        document["workload"]["kv_cache_precision"] = "auto";
        const auto whole = products(document);
        document["workload"]["kv_cache_precision"] = "fp8";
        const auto half = products(document);
        if (whole && half) law.holds(std::abs(*whole - *half) <= 1e-9 * *whole, [&] { return document.dump() + ": products " + std::to_string(1e3 * *whole) + " ms, then " + std::to_string(1e3 * *half); });
    }
    law.settle(plansOfEveryChip);
}

/// Weights that are stored in 8 or 4 bits are multiplied in 16, in whichever of both formats a chip has.
TEST(ServedLaws, WhatAChipIsAllowedToRunTakesATime) {
    std::size_t tried = 0, whole = 0;
    for (const Accelerator& chip : catalog().accelerators())
        for (const std::string& precision : precisionWords(PrecisionUse::inference)) {
            const ResultPtr result = simulatedPlan({{"format", "orrery-scenario/1"},
                                                    {"model", {{"preset", "llama-3.2-1b"}}},
                                                    {"cluster", {{"accelerator", chip.id}, {"accelerators_per_node", 1}, {"nodes", 1}}},
                                                    {"workload", {{"kind", "inference"}, {"precision", precision}, {"batch_size", 4}, {"input_length", 512}, {"output_length", 8}}},
                                                    {"execution", {{"framework", "vllm-2025"}}}});
            if (!result) continue; // a rule refuses what has no units
            ++tried;
            const double prompt = result->inference()->ttft, token = result->inference()->tpot;
            EXPECT_TRUE(std::isfinite(prompt) && prompt > 0 && std::isfinite(token) && token > 0) << chip.id << " " << precision << ": " << prompt << " s, " << token << " s a token";
            if (precision == "int8" || precision == "int4") ++whole;
        }
    EXPECT_GE(tried, 3 * catalog().accelerators().size());
    EXPECT_EQ(whole, 2 * catalog().accelerators().size());
}

} // namespace
} // namespace orrery::test
