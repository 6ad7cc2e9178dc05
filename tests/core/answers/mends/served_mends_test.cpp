// SPDX-License-Identifier: GPL-3.0-or-later
// Engines that do not fit and limits that nobody keeps: what is offered instead does what it says.
#include "core/answers/mends/mends.hpp"
#include "core/scenario/edits.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace orrery::test {
namespace {

Json largeOn(int accelerators, Json workload) {
    return {{"format", "orrery-scenario/1"},
            {"name", "large"},
            {"model", {{"preset", "llama-3.1-70b"}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", accelerators / 8}}},
            {"workload", std::move(workload)}};
}

Json servedWorkload(int count = 20) {
    return {{"kind", "serving"},
            {"precision", "bf16"},
            {"requests", {{"count", count}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 2}}}, {"input_tokens", 500}, {"output_tokens", 40}, {"seed", 2}}}};
}

std::vector<TriedMend> mendsFor(const Json& document, int threads = 1) {
    const ResultPtr failed = run(document);
    EXPECT_FALSE(failed->fits);
    RunControl control;
    control.threads = threads;
    return tryMends(document, *failed, catalog(), {}, control);
}

TEST(ServedMends, AServedModelThatLeavesNoRoomForKeysAndValuesGetsWhatFits) {
    const Json document = largeOn(8, servedWorkload());
    const std::vector<TriedMend> mends = mendsFor(document);
    ASSERT_EQ(mends.size(), 3U);
    for (const TriedMend& mend : mends) {
        const ResultPtr mended = run(edited(document, mend.edits));
        ASSERT_TRUE(mended) << mend.text;
        EXPECT_TRUE(mended->fits) << mend.text;
        EXPECT_TRUE(mend.simulated);
        EXPECT_EQ(mended->serving()->served.e2e.mean, mend.iterationTime) << mend.text;
        EXPECT_EQ(mended->memory.peakBytes, mend.peakBytes) << mend.text;
        EXPECT_EQ(mended->serving()->served.completed, 20) << mend.text;
    }
    EXPECT_NE(mends[0].text.find("tensor"), std::string::npos) << mends[0].text;
}

TEST(ServedMends, ABatchThatIsTooLargeGetsWhatFits) {
    const Json document = largeOn(8, {{"kind", "inference"}, {"batch_size", 64}, {"input_length", 8000}, {"output_length", 100}, {"precision", "bf16"}, {"kv_cache_precision", "bf16"}});
    Json split = document;
    split["parallelism"] = {{"tensor", 4}};
    const std::vector<TriedMend> mends = mendsFor(split);
    ASSERT_EQ(mends.size(), 3U);
    for (const TriedMend& mend : mends) {
        const ResultPtr mended = run(edited(split, mend.edits));
        ASSERT_TRUE(mended) << mend.text;
        EXPECT_TRUE(mended->fits) << mend.text;
        EXPECT_EQ(mended->inference()->requestLatency, mend.iterationTime) << mend.text;
    }
    const auto batch = std::find_if(mends.begin(), mends.end(), [](const TriedMend& mend) { return mend.text.starts_with("batch"); });
    ASSERT_NE(batch, mends.end());
    // The largest of those that fit: twice as many sequences don't.
    Json twice = edited(split, batch->edits);
    twice["workload"]["batch_size"] = 2 * twice["workload"]["batch_size"].get<int>();
    EXPECT_FALSE(run(twice)->fits) << batch->text;
    const Json out = toJson(*withTriedMends(run(split), split, catalog(), {})).at("out_of_memory");
    EXPECT_EQ(out.at("mends").at(0).at("request_latency_s"), mends[0].iterationTime);
}

TEST(ServedMends, PoolsGetWhatFitsBoth) {
    Json document = largeOn(16, servedWorkload());
    document["workload"]["engine"] = {{"disaggregation", {{"prefill", {{"hosts", 1}, {"parallelism", {{"tensor", 2}}}}}, {"decode", {{"hosts", 1}, {"parallelism", {{"tensor", 1}}}}}}}};
    const std::vector<TriedMend> mends = mendsFor(document);
    ASSERT_FALSE(mends.empty());
    for (const TriedMend& mend : mends) EXPECT_TRUE(run(edited(document, mend.edits))->fits) << mend.text;
}

TEST(ServedMends, ThreadsChangeNothingAndManyRequestsAreTriedByTheirFirst) {
    const Json document = largeOn(8, servedWorkload(3000));
    const std::vector<TriedMend> one = mendsFor(document, 1), two = mendsFor(document, 2);
    ASSERT_EQ(one.size(), two.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].text, two[i].text);
        EXPECT_EQ(one[i].iterationTime, two[i].iterationTime);
        EXPECT_FALSE(one[i].simulated);
    }
}

TEST(ServiceLevel, ThatNobodyKeepsIsSaidWithTheNearestThatOneKeeps) {
    Json document = largeOn(8, servedWorkload());
    document["parallelism"] = {{"tensor", 8}};
    document["workload"]["engine"]["front_end"] = false; // with it all first tokens take nearly as long, and no request is the nearest by far
    for (const Json& slo : {Json{{"ttft_s", 1e-6}}, Json{{"tpot_s", 1e-5}, {"e2e_s", 100}}, Json{{"ttft_s", 0.001}, {"e2e_s", 0.01}}}) {
        document["workload"]["slo"] = slo;
        const ResultPtr result = run(document);
        EXPECT_EQ(result->serving()->served.goodput, 0);
        const Problem* warned = find(result->warnings, "slo-out-of-reach");
        ASSERT_NE(warned, nullptr) << slo;
        EXPECT_FALSE(warned->edits.empty());
        const ResultPtr mended = run(edited(document, warned->edits));
        EXPECT_GT(*mended->serving()->served.goodput, 0) << slo << " " << warned->mend;
        EXPECT_EQ(find(mended->warnings, "slo-out-of-reach"), nullptr);
        for (const ScenarioEdit& edit : warned->edits) {
            Json closer = edited(document, warned->edits);
            closer[Json::json_pointer(edit.pointer)] = edit.value->get<double>() * 0.98;
            EXPECT_EQ(run(closer)->serving()->served.goodput, 0) << slo << ": nearer by " << edit.pointer;
        }
    }
    document["workload"]["slo"] = {{"ttft_s", 100}};
    EXPECT_EQ(find(run(document)->warnings, "slo-out-of-reach"), nullptr);
}

} // namespace
} // namespace orrery::test
