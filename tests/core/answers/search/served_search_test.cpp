// SPDX-License-Identifier: GPL-3.0-or-later
// What a search of serving plans finds, against what somebody would try by hand. The figures are printed.
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/parallel.hpp"
#include "core/results/comparison/compare.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <mutex>

namespace orrery {
namespace {

using Clock = std::clock_t;

double cpuSeconds(Clock since) { return double(std::clock() - since) / CLOCKS_PER_SEC; }

Json exampleNamed(const char* name) { return Json::parse(std::ifstream(test::sourcePath(std::string("resources/examples/") + name))); }

/// A plan of the grid at the highest rate that it keeps within the limits.
struct Kept {
    std::vector<ScenarioEdit> plan; ///< without the rate
    double rate = 0;                ///< requests/s; 0: not even the first
    double throughput = 0;          ///< tokens/s of an accelerator
    BoxedJson result;
};

constexpr const char* ratePointer = "/workload/requests/arrival/rate_per_s";
constexpr const char* throughputPointer = "/output_tokens_per_s_per_accelerator";

bool isWithin(const Trial& trial, const std::vector<Constraint>& limits) {
    return trial.result && trial.fits && std::all_of(limits.begin(), limits.end(), [&](const Constraint& limit) { return limit.holds(measured(*trial.result, limit.measure)); });
}

/// Raises the rate by a half from `first` on until the limits break: finer than the search does.
Kept keptBy(const Trials& trials, const std::vector<ScenarioEdit>& plan, const std::vector<Constraint>& limits, double first) {
    Kept kept{plan, 0, 0, {}};
    constexpr double step = 0.5;
    for (double rate = first;; rate += step) {
        std::vector<ScenarioEdit> edits = plan;
        edits.push_back({ratePointer, rate});
        const Trial trial = trials.run(edits);
        if (!isWithin(trial, limits)) return kept;
        kept.rate = rate;
        kept.throughput = measured(*trial.result, {throughputPointer, throughputPointer});
        kept.result = *trial.result;
    }
}

std::string wordsOf(const std::vector<ScenarioEdit>& edits) {
    std::string words;
    for (const ScenarioEdit& edit : edits) words += (words.empty() ? "" : ", ") + edit.pointer.substr(edit.pointer.rfind('/') + 1) + " " + edit.value->dump();
    return words;
}

TEST(ServedSearch, SixteenH100ServeMoreThanTheBestPlanOfOneRole) {
    const Json document = exampleNamed("llama-3-70b-16xh100-which-plan.orrery.json");
    const Trials trials(document, test::catalog());
    Problems problems;
    const auto question = searchQuestionOf(document, problems);
    ASSERT_TRUE(question);
    RunControl control;
    control.threads = 2;
    const Clock start = std::clock();
    SearchOptions options;
    options.mostFallen = 100000;
    const SearchRun run = runSearch(trials, *question, options, control);
    const double seconds = cpuSeconds(start);
    std::cout << run.evaluated << " plans simulated, " << run.feasible << " within the limits, " << run.front.size() << " on the front, in " << seconds << " s of CPU time\n";
    // Each plan is run; one whose limits are broken for good, no further than that. The front is simulated to the end: whole results say the same.
    std::cout << run.brokenOff << " of them as far as it takes to see that a limit can't hold\n";
    EXPECT_GE(run.evaluated, 500U);
    EXPECT_EQ(run.fallen.size(), run.brokenOff);
    ASSERT_FALSE(run.best.empty());
    for (const FoundPlan& plan : run.front) {
        const Trial whole = trials.run(question->space.changes(plan.index));
        EXPECT_TRUE(isWithin(whole, question->constraints));
        EXPECT_EQ(pointDocument(question->space, plan.index, plan.point), pointDocument(question->space, plan.index, sweptPoint(whole, question->space.measures)));
    }
    for (std::size_t i = 0; i < run.fallen.size(); i += 25) EXPECT_FALSE(isWithin(trials.run(question->space.changes(run.fallen[i].index)), question->constraints)) << run.fallen[i].index;

    // A person tries this grid: every instance does both, one stage, tensor × batch × chunk; each plan as far as it goes.
    std::vector<std::vector<ScenarioEdit>> grid;
    for (const int tensor : {1, 2, 4, 8})
        for (int batch = 1; batch <= 256; batch *= 2)
            for (const int chunk : {512, 1024, 2048, 4096, 8192}) grid.push_back({{"/parallelism/tensor", tensor}, {"/workload/engine/max_num_seqs", batch}, {"/workload/engine/max_num_batched_tokens", chunk}});
    std::vector<Kept> kept(grid.size());
    forEachIndex(grid.size(), control.threads, [&](std::size_t i) { kept[i] = keptBy(trials, grid[i], question->constraints, 10); });
    const Kept& byHand = *std::max_element(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.throughput < b.throughput; });
    ASSERT_GT(byHand.rate, 0);
    const FoundPlan& best = run.best.front();
    const double found = *best.point.metrics.front();
    std::cout << "by hand: " << byHand.throughput << " tokens/s of an accelerator at " << byHand.rate << " requests/s, " << wordsOf(byHand.plan) << "\nfound:   " << found << " tokens/s of an accelerator, " << wordsOf(question->space.changes(best.index))
              << "\ngain:    " << 100 * (found / byHand.throughput - 1) << " %\n";
    EXPECT_GE(found, byHand.throughput) << "the space holds what the hand finds";

    // A list of rates that ended at the best plan's would say no more than where the list ends.
    const Json& rates = document["search"]["vary"][ratePointer];
    for (const ScenarioEdit& edit : question->space.changes(best.index))
        if (edit.pointer == ratePointer) {
            EXPECT_LT(edit.value->get<double>(), rates.back().get<double>());
        }

    // Where it comes from: both at the rate that the plan by hand keeps.
    std::vector<ScenarioEdit> slower = question->space.changes(best.index);
    for (ScenarioEdit& edit : slower)
        if (edit.pointer == ratePointer) edit.value = byHand.rate;
    const Trial same = trials.run(slower);
    ASSERT_TRUE(same.result);
    const auto comparison = compareResults(*byHand.result, *same.result, problems);
    ASSERT_TRUE(comparison);
    std::cout << "at " << byHand.rate << " requests/s a request takes " << comparison->a << " s by hand and " << comparison->b << " s as found:\n";
    for (const Comparison::Part& part : comparison->parts) std::cout << "  " << part.name << " " << part.delta << " s\n";
    // Prompts no longer stand in the way of answers: these come faster, and the way between the roles costs less than that.
    const auto partNamed = [&](const char* name) {
        for (const Comparison::Part& part : comparison->parts)
            if (part.name == name) return part.delta;
        return 0.0;
    };
    EXPECT_LT(partNamed("decode"), 0);
    EXPECT_LT(partNamed("kv_transfer"), -partNamed("decode"));
    // The example is the plan by hand, and its variant the one that was found.
    const auto valueAfter = [&](const std::vector<ScenarioEdit>& edits, const char* pointer) {
        const EditOutcome edited = applyEdits(document, edits);
        const Json* value = valueAt(*edited.document, pointer);
        return value ? *value : Json();
    };
    for (const char* pointer : {"/parallelism/tensor", "/workload/engine/max_num_batched_tokens"}) EXPECT_EQ(valueAfter(byHand.plan, pointer), valueAfter({}, pointer)) << pointer;
    for (const auto& [pointer, value] : document["variants"][0]["edits"].items()) EXPECT_EQ(value, valueAfter(question->space.changes(best.index), pointer.c_str())) << pointer;
}

} // namespace
} // namespace orrery
