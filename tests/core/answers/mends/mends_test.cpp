// SPDX-License-Identifier: GPL-3.0-or-later
// Mends of plans that do not fit: each, applied, reads, runs, fits and takes as long as it says, to the last bit where it was simulated
// and to what estimates are held to where it was not; no single change of those that a person would think of is cheaper.
#include "core/answers/mends/mends.hpp"
#include "core/base/json.hpp"
#include "core/scenario/edits.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"
#include "tests/support/folders.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <new>

namespace orrery {
namespace {

Json tooLarge() {
    Json document = test::soundDocument(); // Llama-3.1-70B on 64 H100
    document["parallelism"]["zero_stage"] = 0;
    document["workload"]["micro_batch_size"] = 2;
    document["execution"]["recompute"] = "none";
    return document;
}

std::vector<TriedMend> mendsOf(const Json& document, int threads = 1) {
    const ResultPtr failed = test::run(document);
    EXPECT_FALSE(failed->fits) << "the plan fits as it is";
    RunControl control;
    control.threads = threads;
    return tryMends(document, *failed, test::catalog(), {}, control);
}

TEST(Mends, FitAndTakeAsLongAsTheySay) {
    const Json document = tooLarge();
    const std::vector<TriedMend> mends = mendsOf(document);
    ASSERT_EQ(mends.size(), 3U);
    double before = 0;
    for (const TriedMend& mend : mends) {
        SCOPED_TRACE(mend.text);
        EXPECT_FALSE(mend.edits.empty());
        const ResultPtr mended = test::run(edited(document, mend.edits));
        EXPECT_TRUE(mended->fits);
        EXPECT_TRUE(mend.simulated) << "a small plan takes a moment";
        EXPECT_EQ(mended->training()->iterationTime, mend.iterationTime);
        EXPECT_EQ(mended->memory.peakBytes, mend.peakBytes);
        EXPECT_GE(mend.iterationTime, before) << "the cheapest comes first";
        before = mend.iterationTime;
    }
}

TEST(Mends, NoPlainChangeIsCheaper) {
    const Json document = tooLarge();
    const std::vector<TriedMend> mends = mendsOf(document);
    ASSERT_EQ(mends.size(), 3U);
    const std::vector<std::pair<const char*, Json>> plain{{"/execution/recompute", "selective"}, {"/execution/recompute", "full"}, {"/parallelism/zero_stage", 1}, {"/parallelism/zero_stage", 3}, {"/workload/micro_batch_size", 1}, {"/parallelism/pipeline", 4}};
    for (const auto& [pointer, value] : plain) {
        Json changed = document;
        changed[Json::json_pointer(pointer)] = value;
        const ResultPtr result = test::run(changed);
        if (!result->fits) continue;
        EXPECT_GE(result->training()->iterationTime, mends.front().iterationTime) << pointer << " " << value;
    }
}

TEST(Mends, AreTheSameAtEveryThreadCount) {
    const Json document = tooLarge();
    const std::vector<TriedMend> one = mendsOf(document, 1), three = mendsOf(document, 3);
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].text, three[i].text);
        EXPECT_EQ(one[i].iterationTime, three[i].iterationTime);
    }
}

TEST(Mends, AreCombinedWhereNoneDoesAlone) {
    // 70B parameters, 18 bytes each, on 32 accelerators: 40 GB of an H100's 80 once everything is shared out.
    Json document = test::soundDocument();
    document["cluster"]["nodes"] = 4;
    document["parallelism"] = {{"tensor", 2}, {"pipeline", 2}};
    document["workload"]["global_batch_size"] = 32;
    document["workload"]["micro_batch_size"] = 4;
    const std::vector<TriedMend> mends = mendsOf(document);
    for (const TriedMend& mend : mends) {
        SCOPED_TRACE(mend.text);
        EXPECT_TRUE(test::run(edited(document, mend.edits))->fits);
    }
    ASSERT_FALSE(mends.empty());
    EXPECT_TRUE(std::any_of(mends.begin(), mends.end(), [](const TriedMend& mend) { return mend.edits.size() > 1; }));
}

TEST(Mends, AreNoneWhereNothingFits) {
    // 406 billion parameters on 64 accelerators, 18 bytes each: 114 GB of states where there are 80, however they are shared out.
    Json document = test::soundDocument();
    document["model"]["preset"] = "llama-3.1-405b";
    document["workload"]["global_batch_size"] = 8;
    for (const TriedMend& mend : mendsOf(document)) EXPECT_NE(mend.text.find("host memory"), std::string::npos) << mend.text;
}

TEST(Mends, StandInTheResultOfAPlanThatDoesNotFitAndOnlyThere) {
    const Json document = tooLarge();
    const ResultPtr failed = test::run(document), fitting = test::run(test::soundDocument());
    EXPECT_EQ(withTriedMends(fitting, test::soundDocument(), test::catalog(), {}), fitting);
    EXPECT_FALSE(toJson(*failed)["out_of_memory"].contains("mends")) << "a simulation tries nothing by itself";
    const Json result = toJson(*withTriedMends(failed, document, test::catalog(), {}));
    const Json& out = result["out_of_memory"];
    ASSERT_EQ(out["mends"].size(), 3U);
    EXPECT_LT(out["mends"][0]["peak_bytes"].get<double>(), out["capacity_bytes"].get<double>());
    EXPECT_TRUE(out["mends"][0]["edits"][0]["pointer"].is_string());
}

TEST(Mends, ARefusedPlanIsNeverOffered) {
    // One layer: no more stages; one head: no more tensor ranks.
    Json document = test::smallScenario(1, 1, 8, 1);
    document["model"]["config"] = {{"model_type", "gpt2"}, {"n_layer", 1}, {"n_embd", 16384}, {"n_head", 1}, {"n_positions", 65536}, {"vocab_size", 256000}};
    document["workload"]["sequence_length"] = 65536;
    for (const TriedMend& mend : mendsOf(document)) {
        EXPECT_TRUE(test::read(edited(document, mend.edits)).scenario) << mend.text;
        EXPECT_EQ(mend.text.find("tensor "), std::string::npos) << mend.text;
    }
}

Json shippedExample(const char* name) { return Json::parse(std::ifstream(test::sourcePath("resources/examples/") + name)); }

/// DeepSeek-V3 on the plan of GPT-3, 1,024 A100: its experts, not shared out at all, are 20 times what there is room for.
TEST(Mends, OfExpertsShareThemOutAsFarAsItTakes) {
    Json document = shippedExample("gpt3-175b-1024xa100.orrery.json");
    document["model"] = {{"preset", "deepseek-v3"}};
    const ResultPtr failed = test::run(document);
    ASSERT_FALSE(failed->fits);
    const auto begin = std::chrono::steady_clock::now();
    RunControl control;
    control.threads = 2;
    const std::vector<TriedMend> mends = tryMends(document, *failed, test::catalog(), {}, control);
    std::cout << "mends took " << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() << " s\n";
    ASSERT_FALSE(mends.empty());
    // Every degree by itself: a few do not take it far enough, and of those that do the fastest is shown.
    int tooFew = 0, fastest = 0;
    double least = 0;
    for (int degree = 2; degree <= 128; degree *= 2) {
        Json plain = document;
        plain["parallelism"]["expert"] = degree;
        const ResultPtr shared = test::run(plain);
        if (!shared->fits) {
            EXPECT_EQ(fastest, 0) << "more ranks for the same experts hold less each: " << degree;
            ++tooFew;
        } else if (fastest == 0 || shared->training()->iterationTime < least) {
            least = shared->training()->iterationTime;
            fastest = degree;
        }
    }
    ASSERT_GT(tooFew, 0);
    ASSERT_GT(fastest, 0);
    EXPECT_LE(mends.front().iterationTime, 1.05 * least);
    EXPECT_TRUE(std::any_of(mends.begin(), mends.end(), [fastest](const TriedMend& mend) {
        return mend.edits.size() == 1 && mend.edits.front().pointer == "/parallelism/expert" && mend.edits.front().value == Json(fastest);
    })) << fastest
        << ", not " << mends.front().text;
    for (const TriedMend& mend : mends) {
        SCOPED_TRACE(mend.text);
        const ResultPtr mended = test::run(edited(document, mend.edits));
        EXPECT_TRUE(mended->fits);
        EXPECT_NEAR(mend.iterationTime / mended->training()->iterationTime, 1, 0.05);
        EXPECT_NEAR(mend.peakBytes / mended->memory.peakBytes, 1, 0.02);
    }
}

/// What is tried costs what estimates cost, however many micro-batches there are.
TEST(Mends, OfVastBatchesTakeNoVastRuns) {
    Json document = test::soundDocument();
    document["model"]["preset"] = "llama-3-8b";
    document["cluster"]["nodes"] = 1;
    document["parallelism"] = {{"tensor", 1}, {"pipeline", 1}, {"zero_stage", 0}};
    document["workload"]["sequence_length"] = 128;
    document["workload"]["global_batch_size"] = 80'000;
    document["execution"] = {{"framework", "torchtitan-2025"}, {"recompute", "none"}};
    const ResultPtr failed = test::run(document);
    ASSERT_FALSE(failed->fits);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(tryMends(document, *failed, test::catalog(), {}, {}).empty());
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20) << "seconds, sanitizers and all; minutes where each is simulated";
}

TEST(Mends, AThrowInOneThreadIsNoEndOfTheProgram) {
    Json document = tooLarge();
    document["model"] = {{"config_file", "config.json"}};
    const std::string config = test::catalog().model("llama-3.1-70b")->config->dump();
    const FileReader files = [&](const std::string&, std::string&) { return std::optional(config); };
    const ResultPtr failed = simulate(*test::read(document, files).scenario).result;
    std::atomic<int> reads = 0;
    const FileReader failing = [&](const std::string&, std::string&) -> std::optional<std::string> {
        if (++reads % 3 == 0) throw std::bad_alloc();
        return config;
    };
    RunControl control;
    control.threads = 3;
    ASSERT_NO_THROW(tryMends(document, *failed, test::catalog(), failing, control));
    const FileReader alwaysFailing = [](const std::string&, std::string&) -> std::optional<std::string> { throw std::bad_alloc(); };
    EXPECT_TRUE(tryMends(document, *failed, test::catalog(), alwaysFailing, control).empty());
}

TEST(Mends, TellHowFarTheyAreAndStopWhenAsked) {
    const Json document = tooLarge();
    const ResultPtr failed = test::run(document);
    std::stop_source stop;
    std::vector<double> fractions;
    RunControl control;
    control.stop = stop.get_token();
    control.progress = [&](double fraction) { fractions.push_back(fraction); };
    EXPECT_FALSE(tryMends(document, *failed, test::catalog(), {}, control).empty());
    ASSERT_GT(fractions.size(), 10u);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.back(), 1);
    fractions.clear();
    control.progress = [&](double fraction) {
        fractions.push_back(fraction);
        stop.request_stop();
    };
    EXPECT_TRUE(tryMends(document, *failed, test::catalog(), {}, control).empty());
    EXPECT_LT(fractions.size(), 5u);
}

} // namespace
} // namespace orrery
