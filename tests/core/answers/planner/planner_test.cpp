// SPDX-License-Identifier: GPL-3.0-or-later
// A plan asked for in one line is the best that simulating every combination of the same axes finds, and nothing that the rules refuse.
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/planner/plan_space.hpp"
#include "core/answers/planner/planner.hpp"
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"
#include "core/results/report/uncertainty.hpp"
#include "resources/shipped_evidence.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <variant>

namespace orrery {
namespace {

using test::catalog;

const PlannerGround& ground() {
    static const auto bars = shippedErrorBars(catalog());
    static const EvidenceJudge judge(bars, catalog());
    static const PlannerGround shared{catalog(), *bars, judge};
    return shared;
}

PlanRequest training(const std::string& model, const std::string& machine, int sequence, int batch) {
    PlanRequest request;
    request.model = Json{{"preset", model}};
    request.modelName = model;
    request.machine = machine;
    request.train = {sequence, batch};
    return request;
}

PlanAnswer planned(const PlanRequest& request, int threads = 2) {
    Problems problems;
    RunControl control;
    control.threads = threads;
    auto answer = planFor(request, ground(), problems, control);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    if (!answer) throw std::runtime_error("no plan for " + request.modelName);
    return std::move(*answer);
}

Problem refused(const PlanRequest& request) {
    Problems problems;
    EXPECT_FALSE(planFor(request, ground(), problems)) << request.machine;
    return problems.empty() ? Problem() : problems.front();
}

SearchRun exhaustive(const Json& space) {
    Problems problems;
    const Trials trials(space, catalog());
    const auto question = searchQuestionOf(space, problems);
    SearchOptions options;
    options.prune = false;
    RunControl control;
    control.threads = 2;
    return runSearch(trials, *question, std::move(options), control);
}

SweepQuestion sweepOf(const Json& space) {
    Problems problems;
    return searchQuestionOf(space, problems)->space;
}

double firstFigure(const FoundPlan& plan) { return *plan.point.metrics.front(); }

std::vector<PlanRequest> smallJobs() {
    std::vector<PlanRequest> jobs{training("llama-3.2-1b", "1xdgx-h100", 2048, 16), training("qwen3-8b", "8xa100-sxm4-80gb", 4096, 8), training("qwen3-0.6b", "2xdgx-a100-40gb", 16384, 16), training("deepseek-v2-lite", "1xdgx-b200", 4096, 16)};
    PlanRequest tight = training("llama-3.1-8b", "8xl40s", 4096, 8);
    tight.margin = 0.05;
    jobs.push_back(tight);
    PlanRequest sharded = training("llama-3.1-8b", "1xdgx-h100", 8192, 16);
    sharded.framework = "torchtitan-2025";
    jobs.push_back(sharded);
    return jobs;
}

TEST(Planner, FindsTheBestThatSimulatingEveryCombinationFinds) {
    for (const PlanRequest& request : smallJobs()) {
        const PlanAnswer answer = planned(request);
        const SearchRun all = exhaustive(answer.space);
        ASSERT_FALSE(all.best.empty()) << request.modelName;
        // Rules of the framework alone are not the scenario's.
        const auto axes = sweepOf(answer.space);
        const auto legal = std::find_if(all.best.begin(), all.best.end(), [&](const FoundPlan& plan) { return frameworkRefuses(axes.changes(plan.index)).empty(); });
        ASSERT_NE(legal, all.best.end()) << request.modelName << ": none of the listed plans would start";
        const double best = firstFigure(*legal), found = answer.plans.front().result->training()->iterationTime;
        EXPECT_LE(found, 1.01 * best) << request.modelName << " on " << request.machine;
        // A plan without tensor ranks says nothing of their overlap, which its combination in the space does: 0.2 % at most.
        EXPECT_GE(found, 0.995 * best) << request.modelName << " on " << request.machine << ": better than the best of its own space";
        EXPECT_LT(answer.looked.simulated, all.evaluated / 4);
    }
}

TEST(Planner, EveryPlanKeepsTheRulesAndTheMemory) {
    for (const PlanRequest& request : smallJobs()) {
        const PlanAnswer answer = planned(request);
        ASSERT_EQ(answer.plans.size(), 1 + otherPlans) << request.modelName;
        std::set<std::string> texts;
        for (const PlannedRun& plan : answer.plans) {
            const ScenarioReading reading = readScenario(plan.scenario, catalog());
            EXPECT_FALSE(hasErrors(reading.problems)) << plan.scenario->dump();
            EXPECT_LE(plan.result->memory.peakBytes, (1 - answer.margin.share) * answer.machine.capacity);
            EXPECT_TRUE(plan.result->fits);
            texts.insert(planText(plan.result->scenario));
        }
        EXPECT_EQ(texts.size(), answer.plans.size()) << "two plans are the same";
        for (std::size_t i = 1; i < answer.plans.size(); ++i) EXPECT_GE(answer.plans[i].result->training()->iterationTime, answer.plans[0].result->training()->iterationTime);
    }
}

TEST(Planner, LeavesSoMuchMemoryThatAPlanFitsWithTheChanceItStates) {
    const PlanRequest request = training("llama-3.1-8b", "1xdgx-h100", 8192, 32);
    const PlanAnswer usual = planned(request);
    const auto chance = fitsProbability(*usual.plans.front().result);
    ASSERT_TRUE(chance);
    EXPECT_GT(*chance, 0.88); // the plan's own bar may be a little wider than its machine's
    PlanRequest half = request;
    half.margin = 0.5;
    const PlanAnswer careful = planned(half);
    EXPECT_LE(careful.plans.front().result->memory.peakBytes, careful.machine.capacity / 2);
    EXPECT_GE(careful.plans.front().result->training()->iterationTime, usual.plans.front().result->training()->iterationTime);
}

TEST(Planner, SaysTheSameOnAnyNumberOfThreads) {
    const PlanRequest request = training("mixtral-8x7b", "2xdgx-h100", 4096, 64);
    EXPECT_EQ(toJson(planned(request, 1)).dump(), toJson(planned(request, 3)).dump());
}

TEST(Planner, KeepsToWhatMegatronRefuses) {
    const auto plan = [](int expert, int pipeline, int chunks, const char* recompute, bool hides) {
        return std::vector<ScenarioEdit>{{"/parallelism/expert", expert}, {"/parallelism/pipeline", pipeline}, {"/parallelism/virtual_pipeline", chunks}, {"/execution/recompute", recompute}, {"/execution/overlap/expert", hides}};
    };
    EXPECT_TRUE(frameworkRefuses(plan(8, 4, 2, "selective", true)).empty());
    EXPECT_TRUE(frameworkRefuses(plan(8, 4, 1, "full", false)).empty());
    EXPECT_FALSE(frameworkRefuses(plan(8, 4, 1, "none", true)).empty());
    EXPECT_FALSE(frameworkRefuses(plan(8, 1, 1, "full", true)).empty());
    EXPECT_FALSE(frameworkRefuses(plan(1, 1, 1, "none", true)).empty());
}

TEST(Planner, NamesTheNearestMachines) {
    const Problem problem = refused(training("llama-3.1-8b", "4xdgx-h10", 8192, 32));
    EXPECT_EQ(problem.code, "unknown-machine");
    EXPECT_NE(problem.mend.find("dgx-h100"), std::string::npos) << problem.mend;
    EXPECT_EQ(refused(training("llama-3.1-8b", "0xdgx-h100", 8192, 32)).code, "bad-machine");
    EXPECT_EQ(refused(training("llama-3.1-8b", "12xh100-sxm5-80gb", 8192, 32)).code, "machine-not-whole");
    EXPECT_EQ(refused(training("llama-3.1-7b", "1xdgx-h100", 8192, 32)).code, "unknown-model");
}

TEST(Planner, SaysTheLeastThatWouldDoWhereTheMachineIsTooSmall) {
    PlanRequest request = training("llama-3.1-405b", "1xdgx-h100", 8192, 64);
    const Problem problem = refused(request);
    ASSERT_EQ(problem.code, "machine-too-small");
    const std::string hosts = " hosts dgx-h100";
    const std::size_t at = problem.mend.find(hosts);
    ASSERT_NE(at, std::string::npos) << problem.mend;
    const std::string number = problem.mend.substr(problem.mend.rfind(' ', at - 1) + 1, at - problem.mend.rfind(' ', at - 1) - 1);
    request.machine = number + "xdgx-h100";
    EXPECT_FALSE(planned(request).plans.empty());
    request.machine = std::to_string(std::stoi(number) / 2) + "xdgx-h100";
    EXPECT_EQ(refused(request).code, "machine-too-small");
}

TEST(Planner, CountsHostsOfPlatformsAndAcceleratorsByTheirOwnName) {
    Problems problems;
    const auto hosts = askedMachine("32xdgx-h100", std::nullopt, catalog(), problems), cards = askedMachine("256xh100-sxm5-80gb", std::nullopt, catalog(), problems), few = askedMachine("4xh100-sxm5-80gb", 100e9, catalog(), problems);
    ASSERT_TRUE(hosts && cards && few);
    EXPECT_EQ(hosts->accelerators(), 256);
    EXPECT_EQ(*hosts->cluster, *cards->cluster);
    EXPECT_EQ(few->hosts, 1);
    EXPECT_EQ(few->accelerators(), 4);
    EXPECT_EQ((*few->cluster)["scale_out"]["bandwidth_gb_s"], 100);
    const auto rack = askedMachine("18xgb200-nvl72", std::nullopt, catalog(), problems);
    ASSERT_TRUE(rack);
    EXPECT_EQ(rack->accelerators(), 72);
    EXPECT_EQ(rack->domain, 72);
}

TEST(Planner, SaysAPlanInTheProgramsOwnWords) {
    const PlanAnswer answer = planned(training("llama-3.1-8b", "2xdgx-h100", 8192, 32));
    const Scenario& best = answer.plans.front().result->scenario;
    EXPECT_EQ(answer.launch.tool, "megatron-lm");
    EXPECT_NE(answer.launch.text.find("--tensor-model-parallel-size " + std::to_string(best.parallelism.tensor)), std::string::npos) << answer.launch.text << answer.launch.whyNone;
    const Json document = toJson(answer);
    EXPECT_EQ(document["format"], "orrery-plan/1");
    EXPECT_EQ(document["others"].size(), otherPlans);
    EXPECT_GE(document["reasons"].size(), 4U);
    EXPECT_EQ(document["best"]["scenario"]["parallelism"].value("tensor", 1), best.parallelism.tensor);
}

PlanRequest serving(const std::string& model, const std::string& machine, double rate, int input, int output, std::optional<double> ttft, std::optional<double> tpot) {
    PlanRequest request;
    request.model = Json{{"preset", model}};
    request.modelName = model;
    request.machine = machine;
    request.serve = AskedServing{rate, input, output, ttft, tpot};
    return request;
}

std::vector<PlanRequest> smallServers() {
    return {serving("llama-3.1-8b", "2xdgx-h100", 30, 1000, 200, 0.5, 0.02), serving("qwen3-30b-a3b", "1xdgx-h100", 20, 500, 100, 1, 0.03), serving("llama-3.1-70b", "8xh200-sxm-141gb", 2, 2000, 200, 2, 0.05),
            serving("llama-3.1-8b", "4xh100-sxm5-80gb", 0, 500, 100, 0.5, 0.02)};
}

double servedEach(const PlannedRun& run) { return run.result->serving()->outputTokensPerSecondPerAccelerator; }

int usedBy(const PlannedRun& run) {
    const Scenario& scenario = run.result->scenario;
    const auto& split = std::get<ServingWorkload>(scenario.workload).disaggregation;
    const int each = scenario.parallelism.ranks() / scenario.parallelism.data;
    return split ? each * (split->prefill.instances + split->decode.instances) : each * scenario.parallelism.data;
}

TEST(ServedPlanner, FindsTheBestThatSimulatingEveryCombinationFinds) {
    for (const PlanRequest& request : smallServers()) {
        const PlanAnswer answer = planned(request);
        const SearchRun all = exhaustive(answer.space);
        ASSERT_FALSE(all.best.empty()) << request.modelName;
        double best = firstFigure(all.best.front());
        if (!answer.splitSpace->is_null())
            if (const SearchRun split = exhaustive(answer.splitSpace); !split.best.empty()) best = std::max(best, firstFigure(split.best.front()));
        const double found = servedEach(answer.plans.front());
        EXPECT_GE(found, 0.99 * best) << request.modelName << " on " << request.machine;
        EXPECT_LE(found, best * (1 + 1e-9)) << request.modelName << " on " << request.machine << ": better than the best of its own space";
    }
}

TEST(ServedPlanner, KeepsTheLimitsAndTheMachine) {
    for (const PlanRequest& request : smallServers()) {
        const PlanAnswer answer = planned(request);
        for (const PlannedRun& plan : answer.plans) {
            const ServingReport& report = *plan.result->serving();
            EXPECT_LE(report.served.ttft.p90, *request.serve->ttft);
            EXPECT_LE(report.served.tpot.p90, *request.serve->tpot);
            EXPECT_EQ(report.served.rejected, 0);
            EXPECT_LE(usedBy(plan), answer.machine.accelerators());
        }
        EXPECT_EQ(answer.launch.tool, "vllm");
        EXPECT_FALSE(answer.launch.text.empty()) << answer.launch.whyNone;
    }
}

TEST(ServedPlanner, KeepsPromptsFromAnswersWhereNothingElseKeepsTheLimits) {
    // The example llama-3-70b-16xh100-which-plan finds as much: a step with prompts in it takes longer than the limit of a token.
    PlanRequest request = serving("llama-3-70b", "2xdgx-h100", 15.5, 2048, 256, 1, 0.05);
    request.framework = "vllm-2025";
    const PlanAnswer answer = planned(request);
    EXPECT_TRUE(exhaustive(answer.space).best.empty());
    EXPECT_TRUE(std::get<ServingWorkload>(answer.plans.front().result->scenario.workload).disaggregation);
    const SearchRun split = exhaustive(answer.splitSpace);
    ASSERT_FALSE(split.best.empty());
    EXPECT_GE(servedEach(answer.plans.front()), 0.99 * firstFigure(split.best.front()));
}

TEST(ServedPlanner, ALooserLimitNeverNeedsMoreAccelerators) {
    double before = std::numeric_limits<double>::infinity();
    for (const double tpot : {0.012, 0.016, 0.025, 0.05}) {
        const PlanAnswer answer = planned(serving("llama-3.1-8b", "2xdgx-h100", 30, 1000, 200, 1, tpot));
        const int used = usedBy(answer.plans.front());
        EXPECT_LE(used, before) << tpot;
        before = used;
    }
}

TEST(ServedPlanner, SaysTheLeastThatWouldDoOrThatNothingDoes) {
    const Problem small = refused(serving("llama-3.1-8b", "1xh100-sxm5-80gb", 60, 2000, 200, 1, 0.03));
    EXPECT_EQ(small.code, "machine-too-small");
    EXPECT_NE(small.mend.find("The least that would do"), std::string::npos) << small.mend;
    const Problem never = refused(serving("llama-3.1-70b", "1xdgx-h100", 1, 2000, 200, 1, 0.0001));
    EXPECT_NE(never.mend.find("No larger machine"), std::string::npos) << never.mend;
}

} // namespace
} // namespace orrery
