// SPDX-License-Identifier: GPL-3.0-or-later
// The exercise of the JAX scaling book: 70 billion parameters on 4,096 H100, four million tokens a batch. Its plans by closed forms, and what a
// search finds instead, and why.
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"
#include "core/results/comparison/compare.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace orrery {
namespace {

constexpr double parameters = 70.55e9, tokens = 1024.0 * 4096, accelerators = 4096, peakFlops = 989e12, interfaceBytes = 50e9;

Json bookScenario() {
    return Json::parse(R"({
      "format": "orrery-scenario/1", "name": "70B on 4,096 H100",
      "model": {"preset": "llama-3-70b"},
      "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 512},
      "workload": {"kind": "training", "sequence_length": 4096, "global_batch_size": 1024, "micro_batch_size": 1, "precision": "bf16"},
      "parallelism": {"tensor": 8, "sequence": true},
      "execution": {"recompute": "full"},
      "search": {"vary": {"/parallelism/tensor": [2, 4, 8], "/parallelism/pipeline": [1, 4, 8, 16], "/parallelism/virtual_pipeline": [1, 10],
                          "/parallelism/zero_stage": [0, 1, 3], "/execution/recompute": ["none", "full"]},
                 "objective": {"minimize": "/iteration_time_s"}}
    })");
}

std::vector<ScenarioEdit> tensorAlone() { return {{"/parallelism/tensor", 8}}; }
std::vector<ScenarioEdit> tensorAndZero3() { return {{"/parallelism/tensor", 8}, {"/parallelism/zero_stage", 3}}; }
std::vector<ScenarioEdit> tensorAndPipeline() {
    return {{"/parallelism/tensor", 8}, {"/parallelism/pipeline", 8}, {"/parallelism/zero_stage", 1}, {"/execution/recompute", "none"}};
}

double figure(const Json& result, const char* pointer) { return result.at(Json::json_pointer(pointer)).get<double>(); }

class BookPlans : public testing::Test {
protected:
    Json resultOf(const std::vector<ScenarioEdit>& edits) const {
        const Trial trial = trials_.run(edits);
        EXPECT_TRUE(trial.result);
        return trial.result ? Json(*trial.result) : Json();
    }

    const Json document_ = bookScenario();
    const Trials trials_{document_, test::catalog()};
};

TEST_F(BookPlans, TensorEightAloneDoesNotFit) {
    const Json result = resultOf(tensorAlone());
    EXPECT_FALSE(result["fits"].get<bool>());
    // Weights and gradients in 16 bit or more, a copy and two moments in 32: at least 16 bytes a parameter, an eighth of them here.
    const Json& stage = result["memory"]["stages"][0];
    const double states = stage["weights"].get<double>() + stage["gradients"].get<double>() + stage["optimizer_states"].get<double>();
    EXPECT_GE(states, 16 * parameters / 8 * 0.99);
    EXPECT_GT(states, result["memory"]["capacity_bytes"].get<double>()) << "no recomputation mends that";
}

TEST_F(BookPlans, WithZero3TheNetworkPacesIt) {
    const Json result = resultOf(tensorAndZero3());
    EXPECT_TRUE(result["fits"].get<bool>());
    // Each of two micro-batches gathers the weights of a tensor rank for forward and for backward and reduces their gradients, in 16 bit at
    // least, through one interface each.
    const double microBatches = 1024.0 / (accelerators / 8), perPass = 2 * parameters / 8 / interfaceBytes;
    const double network = microBatches * 3 * perPass, compute = 6 * parameters * tokens / (accelerators * peakFlops);
    EXPECT_GT(network, 4 * compute);
    EXPECT_GE(figure(result, "/iteration_time_s"), network);
    EXPECT_GT(figure(result, "/time_breakdown_s/data_exposed"), 0.5 * figure(result, "/iteration_time_s"));
}

TEST_F(BookPlans, TensorEightPipelineEightLosesItsBubble) {
    const Json result = resultOf(tensorAndPipeline());
    EXPECT_TRUE(result["fits"].get<bool>());
    constexpr double stages = 8, microBatches = 1024.0 / (accelerators / 64);
    EXPECT_DOUBLE_EQ(figure(result, "/bubble_over_ideal"), (stages - 1) / microBatches);
    // Equal stages without communication idle for 7/23; the head makes the last one longer.
    EXPECT_GE(figure(result, "/bubble_fraction"), (stages - 1) / (microBatches + stages - 1));
    EXPECT_LE(figure(result, "/bubble_fraction"), 1.25 * (stages - 1) / (microBatches + stages - 1));
    EXPECT_GT(figure(result, "/time_breakdown_s/bubble"), 0.25 * figure(result, "/iteration_time_s"));
}

TEST_F(BookPlans, TheSearchBeatsThemAndSaysWhy) {
    Problems problems;
    const auto question = searchQuestionOf(document_, problems);
    ASSERT_TRUE(question);
    const SearchRun run = runSearch(trials_, *question);
    ASSERT_FALSE(run.best.empty());
    const std::vector<ScenarioEdit> answer = question->space.changes(run.best.front().index);
    const Json best = resultOf(answer);
    std::cout << "answer: ";
    for (const ScenarioEdit& edit : answer) std::cout << edit.pointer.substr(edit.pointer.rfind('/') + 1) << ' ' << *edit.value << ", ";
    std::cout << figure(best, "/iteration_time_s") << " s, MFU " << figure(best, "/mfu") << '\n';
    const auto fell = std::find_if(run.pruned.begin(), run.pruned.end(), [](const PrunedRule& rule) { return rule.rule == "does-not-fit"; });
    ASSERT_NE(fell, run.pruned.end()) << "tensor 8 alone is in the space";

    const struct {
        const char* name;
        std::vector<ScenarioEdit> plan;
        const char* reason; ///< the largest part of the difference
    } plans[] = {{"tensor 8, ZeRO-3", tensorAndZero3(), "data_exposed"}, {"tensor 8, pipeline 8, one chunk", tensorAndPipeline(), "bubble"}};
    for (const auto& [name, plan, reason] : plans) {
        const Json book = resultOf(plan);
        const auto comparison = compareResults(book, best, problems);
        ASSERT_TRUE(comparison) << name;
        EXPECT_LT(comparison->difference, 0) << name;
        double sum = 0;
        for (const Comparison::Part& part : comparison->parts) sum += part.delta;
        EXPECT_NEAR(sum, comparison->difference, 1e-9 * std::abs(comparison->difference));
        const auto most = std::min_element(comparison->parts.begin(), comparison->parts.end(), [](const auto& a, const auto& b) { return a.delta < b.delta; });
        EXPECT_EQ(most->name, reason) << name;
        std::cout << name << ": " << comparison->a << " s, MFU " << figure(book, "/mfu") << "; the answer is " << -comparison->difference << " s faster, " << -most->delta << " s of it in " << most->name << '\n';
    }
}

} // namespace
} // namespace orrery
