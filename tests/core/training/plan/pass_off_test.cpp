// SPDX-License-Identifier: GPL-3.0-or-later
// A pass switched off is the plan without it: the same graphs and the same results, byte for byte, as of the scenario that a user
// writes who leaves the dimension out. What "leaves out" means is written here once more, by hand.
#include "core/base/json.hpp"
#include "core/model/graph.hpp"
#include "core/training/rank_work/graph_passes.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

std::string graphsOf(const Scenario& scenario) {
    std::string text;
    for (const PieceUse& use : pieceUses(scenario, scenario.execution.recompute))
        text += use.name + " × " + std::to_string(use.count) + "\n" + toText(plannedGraph(use.piece, scenario, use.recompute).graph);
    return text;
}

Json switchedOff(Json document, const char* pass) {
    document["execution"]["passes"][pass] = false;
    return document;
}

/// The document without the pass, as far as documents can say it.
Json leftOut(Json document, const std::string& pass) {
    Json& plan = document["parallelism"];
    Json& execution = document["execution"];
    Json& workload = document["workload"];
    if (pass == "precision" && workload["precision"] != "fp16") workload["precision"] = "bf16";
    if (pass == "fusion") execution.update(Json{{"attention", "unfused"}, {"compile", false}});
    if (pass == "tensor" || pass == "context" || pass == "expert" || pass == "expert_tensor") plan[pass] = 1;
    if (pass == "sequence") plan["sequence"] = false;
    if (pass == "lora" && workload.contains("task")) {
        workload["task"] = "sft";
        workload.erase("lora_rank");
    }
    if (pass == "recompute") execution["recompute"] = "none";
    if (pass == "pipeline") plan["pipeline"] = 1;
    if (pass == "offload") execution.erase("offload");
    if (pass == "zero") plan["zero_stage"] = 0;
    if (pass == "zero" || pass == "hsdp") plan.erase("shard_group");
    if (pass == "overlap") execution["overlap"] = {{"data", false}, {"tensor", false}, {"pipeline", false}, {"expert", false}};
    return document;
}

/// What profiles do by themselves and no document can say.
void leaveOutOfProfileByHand(Scenario& scenario, const std::string& pass) {
    if (pass == "fusion") scenario.execution.profile.fusedSoftmax = scenario.execution.profile.fusedElementwise = false;
    if (pass == "overlap") scenario.execution.profile.asyncTensorCollectives = false;
}

TEST(PassOff, LeavesTheGraphsOfThePlanWithoutIt) {
    test::RandomSource random(41);
    int changed = 0;
    for (int i = 0; i < 60; ++i) {
        const std::string& kind = test::smallModelKinds()[static_cast<std::size_t>(i) % test::smallModelKinds().size()];
        const Json document = test::randomPlan(random, kind);
        SCOPED_TRACE(document.dump());
        const Scenario on = test::sound(document);
        for (const PassInfo& pass : passTable()) {
            if (!isGraphPass(pass.id)) continue;
            SCOPED_TRACE(pass.name);
            const Scenario off = test::sound(switchedOff(document, pass.name));
            Scenario without = test::sound(leftOut(document, pass.name));
            leaveOutOfProfileByHand(without, pass.name);
            const std::string graphs = graphsOf(off);
            ASSERT_EQ(graphs, graphsOf(without));
            // An idle pass changes nothing, every other one something.
            EXPECT_EQ(graphs == graphsOf(on), !whyPassIsIdle(pass.id, on).empty()) << whyPassIsIdle(pass.id, on);
            changed += graphs != graphsOf(on);
            // What explanations do with a scenario is what reading does with the document.
            Scenario inMemory = on;
            leaveOutOfGraphs(pass.id, inMemory);
            EXPECT_EQ(graphsOf(inMemory), graphs);
        }
    }
    EXPECT_GT(changed, 200) << "too few of the random plans use anything";
}

TEST(PassOff, LeavesTheResultOfThePlanWithoutIt) {
    test::RandomSource random(42);
    for (int i = 0; i < 10; ++i) {
        const std::string& kind = test::smallModelKinds()[static_cast<std::size_t>(i) % test::smallModelKinds().size()];
        const Json document = test::randomPlan(random, kind);
        SCOPED_TRACE(document.dump());
        for (const PassInfo& pass : passTable()) {
            if (pass.id == PassId::data) continue; // below
            SCOPED_TRACE(pass.name);
            Scenario without = test::sound(leftOut(document, pass.name));
            leaveOutOfProfileByHand(without, pass.name);
            Json expected = toJson(*simulate(without).result), given = toJson(*test::run(switchedOff(document, pass.name)));
            // The switch itself may be worth a word: that it does nothing here.
            expected.erase("warnings");
            given.erase("warnings");
            EXPECT_EQ(given.dump(), expected.dump());
        }
    }
}

TEST(PassOff, WithoutDataOneReplicaRunsAlone) {
    for (const int zero : {0, 1, 3}) {
        Json document = test::smallScenario(8, 2, 4, 8);
        document["parallelism"]["zero_stage"] = zero;
        Json alone = test::smallScenario(8, 2, 1, 8);
        alone["parallelism"]["zero_stage"] = zero;
        const ResultPtr off = test::run(switchedOff(document, "data")), without = test::run(alone);
        EXPECT_EQ(off->training()->iterationTime, without->training()->iterationTime);
        EXPECT_EQ(off->training()->tokensPerSecondPerAccelerator, without->training()->tokensPerSecondPerAccelerator);
        EXPECT_EQ(off->memory.peakBytes, without->memory.peakBytes);
        EXPECT_EQ(toJson(*off)["operations"].dump(), toJson(*without)["operations"].dump());
    }
}

TEST(PassOff, WithoutOverlapEverythingTakesTurns) {
    // On one stage the iteration is then the sum of all that runs, one after the other.
    test::RandomSource random(43);
    for (int i = 0; i < 12; ++i) {
        const std::string& kind = test::smallModelKinds()[static_cast<std::size_t>(i) % test::smallModelKinds().size()];
        Json document = test::randomPlan(random, kind);
        document["parallelism"]["pipeline"] = 1;
        document["execution"].erase("offload");      // copies are no communication
        document["execution"]["cuda_graphs"] = true; // no kernel waits for the host
        const ResultPtr result = test::run(switchedOff(document, "overlap"));
        double sum = result->scenario.execution.profile.iterationOverhead;
        for (const OperationRow& row : result->operations) sum += row.time;
        EXPECT_NEAR(result->training()->iterationTime, sum, 1e-9 * sum) << document.dump();
    }
}

TEST(PassNames, AnUnknownOneIsAnErrorWithTheNearest) {
    Json document = test::soundDocument();
    document["execution"]["passes"] = {{"expert-tensor", false}};
    const ScenarioReading reading = test::read(document);
    EXPECT_FALSE(reading.scenario);
    ASSERT_EQ(reading.problems.size(), 1u) << test::listed(reading.problems);
    EXPECT_EQ(reading.problems[0].pointer, "/execution/passes/expert-tensor");
    EXPECT_NE((reading.problems[0].message + reading.problems[0].mend).find("expert_tensor"), std::string::npos);
    ASSERT_FALSE(reading.problems[0].edits.empty());
    EXPECT_TRUE(test::read(test::mended(document, reading.problems[0])).scenario);
}

TEST(PassNames, AKnownOneThatDoesNothingHereIsAWarning) {
    const auto warned = [](const char* pass, bool on) {
        Json document = test::soundDocument();
        document["execution"]["passes"] = {{pass, on}};
        const ScenarioReading reading = test::read(document);
        EXPECT_TRUE(reading.scenario) << test::listed(reading.problems);
        for (const Problem& problem : reading.problems)
            if (problem.code == "no-effect" && problem.pointer.starts_with("/execution/passes")) return problem.pointer + ": " + problem.message;
        return std::string();
    };
    EXPECT_EQ(warned("context", false), "/execution/passes/context: The pass context does nothing here: there is 1 context rank.");
    EXPECT_EQ(warned("expert", true), "/execution/passes/expert: The pass expert does nothing here: the model has no experts.");
    EXPECT_EQ(warned("precision", false), "/execution/passes/precision: The pass precision does nothing here: products are in bf16.");
    EXPECT_EQ(warned("chunked_loss", true), "");
    EXPECT_EQ(warned("chunked_loss", false), "/execution/passes/chunked_loss: The pass chunked_loss does nothing here: the loss takes all tokens at once.");
    for (const char* used : {"tensor", "sequence", "pipeline", "data", "zero", "fusion", "overlap"}) {
        EXPECT_EQ(warned(used, true), "") << used;
        EXPECT_EQ(warned(used, false), "") << used;
    }
}

TEST(PassNames, TheTableIsInTheDocumentsOrderAndSaysWhatEachDoes) {
    std::string order;
    for (const PassInfo& pass : passTable()) {
        order += std::string(pass.name) + " ";
        EXPECT_EQ(findPass(pass.name), pass.id);
        EXPECT_EQ(&passInfo(pass.id), &pass);
        EXPECT_EQ(std::string(pass.does).back(), '.');
    }
    EXPECT_EQ(order, "precision fusion tensor sequence context expert expert_tensor lora recompute chunked_loss offload pipeline data zero hsdp overlap ");
}

} // namespace
} // namespace orrery
