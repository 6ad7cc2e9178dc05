// SPDX-License-Identifier: GPL-3.0-or-later
// A search with pruning finds what one without finds; every combination is counted once.
#include "core/answers/search/front.hpp"
#include "core/answers/search/search.hpp"
#include "core/answers/search/space_tasks.hpp"
#include "core/base/json.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace orrery {
namespace {

using test::catalog;

Json searching(Json document, const Json& vary, const Json& more = Json::object()) {
    document["search"] = {{"vary", vary}};
    document["search"].update(more);
    return document;
}

struct Searched {
    SearchQuestion question;
    SearchRun run;
};

Searched search(const Json& document, bool prune, int threads = 1) {
    Problems problems;
    const Trials trials(document, catalog());
    auto question = searchQuestionOf(document, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    question->asksForFront = true; // whether the space states a second objective or not
    SearchOptions options;
    options.prune = prune;
    RunControl control;
    control.threads = threads;
    return {*question, runSearch(trials, *question, options, control)};
}

double countedIn(const SearchRun& run) {
    double sum = double(run.evaluated);
    for (const PrunedRule& rule : run.pruned) sum += double(rule.count);
    return sum;
}

std::string plansOf(const Searched& searched) {
    const Json document = searchDocument(searched.question, searched.run);
    return Json{{"best", document["best"]}, {"pareto", document["pareto"]}}.dump(1);
}

Json trainingOf(const char* model, int nodes, int batch) {
    return {{"format", "orrery-scenario/1"},
            {"name", "space"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", "a100-sxm4-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", batch}, {"micro_batch_size", 1}, {"precision", "bf16"}}}};
}

/// Plans that estimates are farthest off of: stages that share links above their hosts; hosts that hold kernels back, with copies among collectives.
std::vector<Json> hardSpaces() {
    const Json plans = {{"/parallelism/tensor", {1, 2, 4}}, {"/parallelism/pipeline", {2, 4, 8}}, {"/parallelism/zero_stage", {1, 2, 3}}, {"/parallelism/order", {"tp-cp-ep-dp-pp", "tp-pp-cp-ep-dp"}}};
    Json shared = trainingOf("llama-3.1-8b", 8, 64);
    shared["cluster"]["scale_out"]["oversubscription"] = 8;
    Json held = trainingOf("llama-3.2-1b", 4, 128);
    held["cluster"]["accelerator"] = "b200-sxm-180gb";
    held["execution"]["framework"] = "nanotron-2024";
    return {searching(shared, plans), searching(held, plans)};
}

/// Twenty spaces of training with other models, clusters and objectives, of static batches, of serving; and the hard ones.
std::vector<Json> spaces() {
    std::vector<Json> all;
    const Json plans = {{"/parallelism/tensor", {1, 2, 4, 8}}, {"/parallelism/pipeline", {1, 2, 4}}, {"/workload/micro_batch_size", {1, 2}}, {"/execution/recompute", {"none", "full"}}};
    const Json sharded = {{"/parallelism/tensor", {1, 2, 3, 8}}, {"/parallelism/zero_stage", {0, 1, 2, 3}}, {"/workload/micro_batch_size", {1, 4}}};
    for (const char* model : {"llama-3.1-8b", "gpt3-175b"}) {
        all.push_back(searching(trainingOf(model, 4, 64), plans));
        all.push_back(searching(trainingOf(model, 4, 64), plans, {{"objective", {{"maximize", "/mfu"}}}}));
        all.push_back(searching(trainingOf(model, 2, 32), sharded, {{"objective", {{"maximize", "/tokens_per_s_per_accelerator"}}}, {"pareto", {{"minimize", "/memory/peak_bytes"}}}}));
        all.push_back(searching(trainingOf(model, 4, 64), plans, {{"objective", {{"minimize", "/memory/peak_bytes"}}}}));
        all.push_back(searching(trainingOf(model, 4, 64), plans, {{"constraints", {{{"pointer", "/memory/peak_bytes"}, {"op", "<="}, {"value", 4e10}}}}}));
        all.push_back(searching(trainingOf(model, 4, 64), plans, {{"objective", {{"maximize", "/bubble_fraction"}}}}));
    }
    const Json dp = {{"/parallelism/tensor", {1, 2, 4}}, {"/parallelism/pipeline", {2, 4}}, {"/parallelism/schedule", {"1f1b", "zb-h1", "gpipe", "interleaved"}}, {"/parallelism/sequence", {false, true}}};
    all.push_back(searching(trainingOf("llama-2-13b", 2, 64), dp));
    all.push_back(searching(trainingOf("llama-2-13b", 2, 64), {{"/cluster/accelerator", {"a100-sxm4-80gb", "h100-sxm5-80gb"}}, {"/parallelism/tensor", {1, 2, 4}}, {"/parallelism/pipeline", {1, 2, 4}}}));
    all.push_back(searching(trainingOf("llama-2-13b", 2, 64), {{"/cluster/accelerator", {"a100-sxm4-80gb", "h100-sxm5-80gb"}}, {"/parallelism/tensor", {1, 2, 4}}, {"/parallelism/pipeline", {1, 2, 4}}},
                            {{"objective", {{"maximize", "/mfu"}}}, {"constraints", {{{"pointer", "/mfu"}, {"op", ">"}, {"value", 0.3}}}}}));
    for (const int batch : {4, 32}) {
        Json inference = test::smallInference();
        inference["workload"]["batch_size"] = batch;
        all.push_back(searching(inference, {{"/parallelism/tensor", {1, 2, 3, 4, 8}}, {"/workload/precision", {"bf16", "fp8"}}}));
        all.push_back(searching(inference, {{"/parallelism/tensor", {1, 2, 4}}, {"/workload/batch_size", {1, 8, 64}}}, {{"constraints", {{{"pointer", "/ttft_s"}, {"op", "<="}, {"value", 0.1}}}}}));
    }
    Json serving = test::smallInference();
    serving["workload"] = Json::parse(R"({"kind": "serving", "precision": "bf16", "requests": {"count": 40, "arrival": {"process": "poisson", "rate_per_s": 8}, "input_tokens": 256, "output_tokens": 16, "seed": 1}})");
    all.push_back(searching(serving, {{"/parallelism/tensor", {1, 2, 4, 8}}, {"/workload/engine/max_num_seqs", {4, 16}}}));
    for (Json& hard : hardSpaces()) all.push_back(std::move(hard));
    return all;
}

TEST(Search, WithPruningFindsWhatBruteForceFinds) {
    const std::vector<Json> all = spaces();
    ASSERT_EQ(all.size(), 22U);
    double spared = 0, total = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Searched pruned = search(all[i], true, 2), whole = search(all[i], false);
        EXPECT_EQ(plansOf(pruned), plansOf(whole)) << i;
        EXPECT_EQ(countedIn(pruned.run), pruned.run.combinations) << i;
        EXPECT_EQ(countedIn(whole.run), whole.run.combinations) << i;
        EXPECT_LE(pruned.run.evaluated, whole.run.evaluated);
        spared += double(whole.run.evaluated - pruned.run.evaluated);
        total += double(whole.run.evaluated);
        if (pruned.run.rankCorrelation) std::cout << "space " << i << ": rank correlation " << *pruned.run.rankCorrelation << ", " << pruned.run.evaluated << " of " << whole.run.evaluated << " simulated\n";
    }
    EXPECT_GT(spared, 0.2 * total) << "pruning is worth its name";
}

/// Without a stated front: the best are still proven, and what estimates say of the front is true within what they are off at most.
TEST(Search, FindsTheBestOfBruteForceWithoutSimulatingAFrontThatNobodyAskedFor) {
    const std::vector<Json> all = spaces();
    double usual = 0, whole = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Json& document = all[i];
        if (document["search"].contains("pareto") || document["workload"]["kind"] != "training") continue;
        const Trials trials(document, catalog());
        Problems problems;
        const auto question = searchQuestionOf(document, problems);
        ASSERT_FALSE(question->asksForFront);
        const SearchRun run = runSearch(trials, *question);
        const Searched brute = search(document, false), front = search(document, true);
        const Json found = searchDocument(*question, run);
        EXPECT_EQ(found["best"], searchDocument(brute.question, brute.run)["best"]) << i;
        EXPECT_EQ(countedIn(run), run.combinations) << i;
        EXPECT_LE(run.evaluated, front.run.evaluated) << i;
        usual += double(run.evaluated);
        whole += double(front.run.evaluated);
        for (const FoundPlan& plan : run.estimatedFront) {
            const auto scenario = trials.read(question->space.changes(plan.index), problems);
            ASSERT_TRUE(scenario);
            const SweptPoint truly = triedPoint(trials, question->space, plan.index, {});
            for (std::size_t m = 0; m < question->space.measures.size(); ++m) {
                if (question->space.measures[m].pointer != "/iteration_time_s" && question->space.measures[m].pointer != "/memory/peak_bytes") continue;
                const double estimate = plan.point.metrics[m]->get<double>(), is = truly.metrics[m]->get<double>();
                const PlanRange range = rangeAround(estimate, estimate, mostTimeError(*scenario));
                const FigureRange& around = question->space.measures[m].pointer == "/iteration_time_s" ? range.iterationTime : range.devicePeak;
                EXPECT_LE(around.low, is) << i << ", plan " << plan.index;
                EXPECT_GE(around.high, is) << i << ", plan " << plan.index;
            }
        }
        std::vector<Costs> listed;
        std::size_t estimated = 0;
        for (const FrontPlan& plan : wholeFront(*question, run)) {
            estimated += plan.isEstimated ? 1 : 0;
            const auto figure = [&](const Objective& objective) {
                for (std::size_t m = 0; m < question->space.measures.size(); ++m)
                    if (question->space.measures[m].pointer == objective.measure.pointer) return objective.cost(plan.plan->point.metrics[m]->get<double>());
                return 0.0;
            };
            listed.push_back({figure(question->objective), figure(question->second)});
        }
        EXPECT_EQ(frontOf(listed).size(), listed.size()) << i << ": a plan of the front dominates another";
        std::size_t marked = 0;
        for (const Json& plan : found["pareto"]) marked += plan.value("estimated", false) ? 1 : 0;
        EXPECT_EQ(marked, estimated);
    }
    EXPECT_LT(usual, 0.9 * whole) << "a front that nobody asked for costs nothing";
}

TEST(Search, ThreadsChangeNothing) {
    for (const Json& document : {spaces().front(), spaces()[12]}) {
        const Searched one = search(document, true), three = search(document, true, 3);
        EXPECT_EQ(searchDocument(one.question, one.run).dump(), searchDocument(three.question, three.run).dump());
    }
}

/// Other processes as a search sees them: answers come in any order.
class ShuffledPool final : public TaskPool {
public:
    ShuffledPool(const Trials& trials, const SearchQuestion& question, std::uint64_t seed) : tasks_(trials, question, RunControl{}, true), random_(seed) {}
    std::size_t places() const override { return 5; }
    void begin(Task task) override { asked_.push_back(std::move(task)); }
    std::optional<Task> next() override {
        if (asked_.empty()) return std::nullopt;
        std::swap(asked_[random_.below(asked_.size())], asked_.back());
        const Task task = std::move(asked_.back());
        asked_.pop_back();
        ++answered;
        return Task{task.ticket, tasks_.answer(task.text, {})};
    }
    void drop() override { asked_.clear(); }

    std::size_t answered = 0;

private:
    SpaceTasks tasks_;
    test::RandomSource random_;
    std::vector<Task> asked_;
};

TEST(Search, WorkThatIsSpreadOverProcessesComesToTheSameBytes) {
    const std::vector<Json> all = spaces();
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{4}, std::size_t{12}, std::size_t{14}, std::size_t{15}, std::size_t{19}}) {
        const Trials trials(all[i], catalog());
        Problems problems;
        const auto question = searchQuestionOf(all[i], problems);
        const std::string alone = searchDocument(*question, runSearch(trials, *question)).dump();
        for (const std::uint64_t seed : {1U, 2U}) {
            ShuffledPool pool(trials, *question, seed);
            SearchOptions options;
            options.pool = &pool;
            EXPECT_EQ(searchDocument(*question, runSearch(trials, *question, options)).dump(), alone) << i;
            EXPECT_GT(pool.answered, 3U);
        }
    }
}

TEST(Search, ASpaceWhoseStatedPlanIsImpossibleHasPossibleOnes) {
    Json document = searching(trainingOf("llama-3.1-8b", 1, 16), {{"/parallelism/tensor", {3, 5, 2}}});
    document["parallelism"] = {{"tensor", 3}};
    const Trials trials(document, catalog());
    Problems problems, ofPlan;
    const auto question = searchQuestionOf(document, problems);
    EXPECT_FALSE(trials.read({}, ofPlan));
    EXPECT_TRUE(variesWhatIsWrong(question->space, ofPlan));
    EXPECT_EQ(possiblePlan(trials, question->space), std::size_t{2});
    document["search"]["vary"] = {{"/workload/micro_batch_size", {1, 2}}};
    const auto other = searchQuestionOf(document, problems);
    EXPECT_FALSE(possiblePlan(Trials(document, catalog()), other->space));
    EXPECT_FALSE(variesWhatIsWrong(other->space, ofPlan));
}

TEST(Search, WhatIsKnownIsNotSimulatedAgain) {
    const Json document = spaces().front();
    const Trials trials(document, catalog());
    Problems problems;
    const auto question = searchQuestionOf(document, problems);
    std::map<std::size_t, SweptPoint> known;
    SearchOptions first;
    first.onPoint = [&](std::size_t index, const SweptPoint& point) { known.emplace(index, point); };
    const SearchRun run = runSearch(trials, *question, first);
    ASSERT_GT(known.size(), 4U);
    known.erase(known.begin());
    SearchOptions second;
    std::size_t simulated = 0;
    second.known = known;
    second.onPoint = [&](std::size_t, const SweptPoint&) { ++simulated; };
    EXPECT_EQ(searchDocument(*question, runSearch(trials, *question, second)).dump(), searchDocument(*question, run).dump());
    EXPECT_EQ(simulated, 1U);
}

TEST(Search, WhatASearchLeavesBehindChangesNothing) {
    const std::vector<Json> all = spaces();
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{12}}) {
        SearchMemory memory;
        for (const int batch : {64, 128, 32}) {
            Json document = all[i];
            document["workload"]["global_batch_size"] = batch;
            const Trials trials(document, catalog());
            Problems problems;
            const auto question = searchQuestionOf(document, problems);
            SearchOptions options;
            options.memory = &memory;
            const SearchRun after = runSearch(trials, *question, options), fresh = runSearch(trials, *question);
            EXPECT_EQ(searchDocument(*question, after).dump(), searchDocument(*question, fresh).dump()) << i << ", batch " << batch;
        }
    }
}

/// Every kind of edit between searches: what the memory may keep, what it must not, and back again.
TEST(Search, AMemoryOfAnotherScenarioChangesNothing) {
    Json document = spaces()[0];
    const std::vector<std::pair<const char*, Json>> edits{{"/cluster/scale_out", {{"bandwidth_gb_s", 12.5}}}, {"/cluster/scale_out/bandwidth_gb_s", 50}, {"/cluster/scale_up", {{"bandwidth_gb_s", 100}}}, {"/workload/global_batch_size", 128}, {"/cluster/scale_out/latency_us", 9}, {"/workload/sequence_length", 1024}, {"/parallelism", {{"order", "tp-cp-ep-pp-dp"}}}, {"/cluster/accelerator", "h100-sxm5-80gb"}, {"/cluster/nodes", 2}, {"/model/preset", "llama-2-7b"}, {"/execution", {{"framework", "torchtitan-2025"}}}, {"/search/vary/~1workload~1micro_batch_size", {1, 2, 4}}, {"/cluster/scale_out/bandwidth_gb_s", 12.5}};
    SearchMemory memory;
    for (std::size_t i = 0; i <= edits.size(); ++i) {
        if (i > 0) document[Json::json_pointer(edits[i - 1].first)] = edits[i - 1].second;
        const Trials trials(document, catalog());
        Problems problems;
        const auto question = searchQuestionOf(document, problems);
        ASSERT_TRUE(question);
        SearchOptions options;
        options.memory = &memory;
        const SearchRun after = runSearch(trials, *question, options), fresh = runSearch(trials, *question);
        EXPECT_EQ(searchDocument(*question, after).dump(), searchDocument(*question, fresh).dump()) << "after edit " << i;
    }
}

TEST(Search, EveryPrunedCombinationBreaksItsRule) {
    const Json document = searching(trainingOf("gpt3-175b", 4, 64), {{"/parallelism/tensor", {1, 2, 4, 8}}, {"/parallelism/pipeline", {1, 2, 4}}});
    const Searched pruned = search(document, true), whole = search(document, false);
    std::size_t misfits = 0;
    for (const PrunedRule& rule : pruned.run.pruned)
        if (rule.rule == "does-not-fit") misfits = rule.count;
    EXPECT_GT(misfits, 0U);
    EXPECT_EQ(pruned.run.feasible, whole.run.feasible) << "no plan that fits fell";
}

TEST(Search, WhatFellIsToldOneByOneWithWhatIsKnownOfIt) {
    for (const Json& document : {spaces()[0], spaces()[4], searching(trainingOf("gpt3-175b", 4, 64), {{"/parallelism/tensor", {1, 2, 4, 8}}, {"/parallelism/pipeline", {1, 2, 4}}})}) {
        const Trials trials(document, catalog());
        Problems problems;
        const auto question = searchQuestionOf(document, problems);
        SearchOptions told;
        told.mostFallen = 1000;
        const SearchRun run = runSearch(trials, *question, told);
        EXPECT_EQ(searchDocument(*question, run).dump(), searchDocument(*question, runSearch(trials, *question)).dump()) << "telling changes nothing";
        std::map<std::string, std::size_t> counted;
        for (const PrunedRule& rule : run.pruned)
            if (rule.rule == "does-not-fit" || rule.rule == "beaten" || rule.rule == "constraint") counted[rule.rule] = rule.count;
        std::map<std::string, std::size_t> listed;
        for (const FallenPlan& plan : run.fallen) {
            ++listed[plan.rule];
            // No simulation gives better than what is known: it is a floor, or an estimate with all its error.
            const Trial trial = trials.run(question->space.changes(plan.index));
            ASSERT_TRUE(trial.result) << plan.index << " is a scenario";
            const SweptPoint point = sweptPoint(trial, question->space.measures);
            for (std::size_t m = 0; m < question->space.measures.size(); ++m) {
                if (!plan.known[m]) continue;
                const Objective& asked = question->space.measures[m].pointer == question->objective.measure.pointer ? question->objective : question->second;
                EXPECT_LE(asked.cost(*plan.known[m]), asked.cost(point.metrics[m]->get<double>()) + 1e-9) << question->space.measures[m].pointer << " of " << plan.index;
            }
        }
        EXPECT_EQ(listed, counted);
        EXPECT_FALSE(listed.empty());
        told.mostFallen = 2;
        EXPECT_LE(runSearch(trials, *question, told).fallen.size(), 2U);
    }
}

TEST(Search, ContradictoryConstraintsAreNamedAsAPair) {
    const Json document = searching(test::smallTraining(), {{"/parallelism/tensor", {1, 2}}},
                                    {{"constraints", {{{"pointer", "/mfu"}, {"op", ">"}, {"value", 0.5}}, {{"pointer", "/memory/peak_bytes"}, {"op", "<"}, {"value", 1e9}}, {{"pointer", "/mfu"}, {"op", "<="}, {"value", 0.4}}}}});
    Problems problems;
    EXPECT_FALSE(searchQuestionOf(document, problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems.front().message.find("/mfu > 0.5 and /mfu <= 0.4"), std::string::npos) << problems.front().message;
}

TEST(Search, AKeyWithoutValuesIsNamed) {
    Problems problems;
    EXPECT_FALSE(searchQuestionOf(searching(test::smallTraining(), {{"/parallelism/tensor", {1, 2}}, {"/parallelism/pipeline", Json::array()}}), problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems.front().message.find("/parallelism/pipeline"), std::string::npos) << problems.front().message;
}

TEST(Search, AScenarioWithoutOneIsToldHowToWriteIt) {
    Problems problems;
    EXPECT_FALSE(searchQuestionOf(test::smallTraining(), problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().pointer, "/search");
}

TEST(Front, ThatGrowsCoversWhatSomeOfItsPlansAreNoWorseThan) {
    test::RandomSource random(11);
    for (int round = 0; round < 200; ++round) {
        GrowingFront front;
        std::vector<Costs> plans;
        for (int i = 0; i < 30; ++i) {
            const Costs plan{double(random.below(10)), double(random.below(10))};
            const bool isCovered = std::any_of(plans.begin(), plans.end(), [&](const Costs& other) { return other.first <= plan.first && other.second <= plan.second; });
            EXPECT_EQ(front.covers(plan), isCovered);
            front.add(plan);
            plans.push_back(plan);
        }
    }
}

TEST(Front, HoldsExactlyWhatNothingDominates) {
    test::RandomSource random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<Costs> plans(random.between(std::size_t{1}, std::size_t{40}));
        for (Costs& plan : plans) plan = {double(random.below(10)), double(random.below(10))};
        std::vector<bool> inFront(plans.size(), false);
        for (const std::size_t i : frontOf(plans)) inFront[i] = true;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            const bool dominated = std::any_of(plans.begin(), plans.end(), [&](const Costs& other) { return isDominated(plans[i], other); });
            EXPECT_EQ(inFront[i], !dominated);
        }
    }
}

} // namespace
} // namespace orrery
