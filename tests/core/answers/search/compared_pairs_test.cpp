// SPDX-License-Identifier: GPL-3.0-or-later
// Differences between any two plans are divided into parts that sum to them, whatever is compared.
#include "core/answers/explore/trials.hpp"
#include "core/base/json.hpp"
#include "core/results/comparison/accounts.hpp"
#include "core/results/comparison/compare.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace orrery {
namespace {

Json dense() {
    Json document = test::smallTraining();
    document["model"] = {{"preset", "llama-3-8b"}};
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 2}};
    document["workload"]["micro_batch_size"] = 1;
    return document;
}

Json experts() {
    Json document = dense();
    document["model"] = {{"preset", "mixtral-8x7b"}};
    document["parallelism"] = {{"tensor", 2}, {"pipeline", 2}, {"expert", 4}};
    return document;
}

Json serving() {
    Json document = test::smallInference();
    document["workload"] = Json::parse(R"({"kind": "serving", "precision": "bf16", "requests": {"count": 40, "arrival": {"process": "poisson", "rate_per_s": 8}, "input_tokens": 256, "output_tokens": 16, "seed": 1}})");
    return document;
}

/// Prompts on one host, answers on the other.
Json apart() {
    Json document = serving();
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 2}};
    document["parallelism"] = Json::object();
    document["workload"]["engine"] = Json::parse(R"({"disaggregation": {"prefill": {"hosts": 1}, "decode": {"hosts": 1}}})");
    return document;
}

struct Family {
    Json document;
    std::vector<std::pair<const char*, std::vector<Json>>> keys;
    std::vector<const char*> metrics; ///< "": the usual one
};

std::vector<Family> families() {
    const std::vector<std::pair<const char*, std::vector<Json>>> plans{{"/parallelism/tensor", {1, 2, 4}}, {"/parallelism/pipeline", {1, 2, 4}}, {"/execution/recompute", {"none", "selective", "full"}}, {"/workload/precision", {"bf16", "fp8"}}, {"/parallelism/zero_stage", {0, 1, 3}}, {"/cluster/accelerator", {"h100-sxm5-80gb", "a100-sxm4-80gb"}}};
    const std::vector<const char*> ofTraining{"", "/mfu", "/tokens_per_s_per_accelerator", "/memory/peak_bytes"};
    return {{dense(), plans, ofTraining},
            {experts(), {{"/parallelism/tensor", {1, 2}}, {"/parallelism/expert", {1, 2, 4, 8}}, {"/execution/recompute", {"none", "full"}}, {"/workload/micro_batch_size", {1, 2}}}, ofTraining},
            {test::smallInference(), {{"/parallelism/tensor", {1, 2, 4}}, {"/workload/batch_size", {1, 8, 64}}, {"/workload/precision", {"bf16", "fp8"}}}, {"", "/ttft_s", "/tpot_s", "/output_tokens_per_s", "/memory/peak_bytes"}},
            {serving(), {{"/parallelism/tensor", {1, 2, 4}}, {"/workload/engine/max_num_seqs", {4, 16, 64}}, {"/workload/engine/max_num_batched_tokens", {512, 2048}}}, {"", "/ttft_s/mean", "/tpot_s/mean", "/output_tokens_per_s_per_user", "/output_tokens_per_s", "/memory/peak_bytes"}},
            {apart(), {{"/workload/engine/disaggregation/prefill/parallelism/tensor", {1, 2}}, {"/workload/engine/disaggregation/decode/parallelism/tensor", {1, 2, 4}}, {"/workload/requests/arrival/rate_per_s", {2, 20}}}, {"", "/ttft_s/mean", "/tpot_s/mean"}}};
}

/// How far the parts of a result's own division lie from the figure, relative.
double awayFrom(const Json& result, const char* figure, const char* breakdown) {
    double sum = 0;
    for (const auto& [key, value] : result.at(breakdown).items()) sum += value.get<double>();
    const double mean = result.at(figure).at("mean").get<double>();
    return mean > 0 ? std::abs(sum / mean - 1) : sum;
}

TEST(ComparedPairs, PartsSumToTheDifferenceAndAreNoneForEqualOnes) {
    test::RandomSource random(17);
    const std::vector<Family> all = families();
    int pairs = 0, tried = 0;
    std::set<std::string> named;
    while (pairs < 200 && ++tried < 2000) {
        const Family& family = all[random.below(all.size())];
        const Trials trials(family.document, test::catalog());
        const auto drawn = [&] {
            std::vector<ScenarioEdit> edits;
            for (const auto& [pointer, values] : family.keys) edits.push_back({pointer, values[random.below(values.size())]});
            return trials.run(edits).result;
        };
        const auto a = drawn(), b = drawn();
        if (!a || !b) continue;
        ++pairs;
        if ((*a)->value("kind", "") == "serving") {
            EXPECT_LT(awayFrom(*a, "ttft_s", "ttft_breakdown_s"), 1e-9);
            EXPECT_LT(awayFrom(*a, "tpot_s", "tpot_breakdown_s"), 1e-9);
        }
        for (const char* metric : family.metrics) {
            Problems problems;
            const auto comparison = compareResults(*a, *b, problems, metric);
            ASSERT_TRUE(comparison) << metric;
            double sum = 0, largest = 0;
            for (const Comparison::Part& part : comparison->parts) {
                sum += part.delta;
                largest = std::max(largest, std::abs(part.delta));
                if (*metric == '\0' || std::string_view(metric).starts_with("/t")) named.insert(part.name);
            }
            EXPECT_NEAR(sum, comparison->difference, 1e-9 * std::abs(comparison->difference) + 1e-15 * largest) << metric;
            EXPECT_TRUE(compareResults(*a, *a, problems, metric)->parts.empty()) << metric;
        }
    }
    EXPECT_EQ(pairs, 200);
    for (const char* name : {"GEMM", "attention", "elementwise", "optimizer", "recompute", "tensor_exposed", "data_exposed", "bubble", "queue", "prefill", "decode", "queue_step", "prefill_products", "decode_weights", "decode_collectives", "kv_transfer"}) EXPECT_TRUE(named.contains(name)) << name;
    EXPECT_FALSE(named.contains("forward")) << "what is computed is told by what it is";
}

TEST(ComparedPairs, WhatHasGradientsOfWeightsIsAProduct) {
    for (const Family& family : families()) {
        const Trials trials(family.document, test::catalog());
        const Trial trial = trials.run({});
        ASSERT_TRUE(trial.result);
        std::set<std::string> kinds, products;
        for (const Json& operation : (*trial.result)->at("operations")) {
            const std::string kind = operation["kind"];
            kinds.insert(kind);
            if (kind.ends_with(".wgrad")) products.insert(kind.substr(0, kind.size() - 6));
        }
        for (const std::string& kind : products) EXPECT_EQ(operatorClass(kind), "GEMM") << kind;
        EXPECT_EQ(operatorClass("attention.core.backward"), "attention");
        for (const char* kind : {"attention.norm", "mlp.multiply", "head.loss.backward", "attention.output.cast", "embedding.tokens"}) EXPECT_EQ(operatorClass(kind), "elementwise") << kind;
        EXPECT_EQ(operatorClass("aten.mm.default"), "GEMM");
        EXPECT_EQ(operatorClass("aten._scaled_dot_product_flash_attention"), "attention");
    }
}

} // namespace
} // namespace orrery
