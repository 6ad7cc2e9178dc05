// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios of recorded jobs: made records whose model is known, and real ones whose model is published.
#include "core/records/traced_job/traced_job.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/records/traces/kineto_writer.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/core/records/traced_job/made_record.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orrery {
namespace {

using test::MadeDecoder;

KinetoTrace traceOf(const std::string& bytes) {
    Problems problems;
    auto trace = readDeviceTrace(bytes, "record", problems);
    EXPECT_TRUE(trace);
    return trace.value_or(KinetoTrace());
}

TracedJob jobOf(const MadeDecoder& decoder, const TracedJobOptions& options = {}) { return tracedJob(traceOf(test::madeRecord(decoder).dump()), test::catalog(), options); }

TracedJob jobOf(const std::string& path, const TracedJobOptions& options = {}) { return tracedJob(traceOf(test::readWholeFile(test::sharedPath("traces/" + path))), test::catalog(), options); }

/// The options that the errors name, in their order.
std::vector<std::string> lackingIn(const TracedJob& job) {
    std::vector<std::string> options;
    for (const Problem& problem : job.problems) {
        if (problem.severity != Severity::error) continue;
        EXPECT_EQ(problem.code, "not-recorded");
        const std::size_t at = problem.mend.find("--");
        options.push_back(at == std::string::npos ? problem.mend : problem.mend.substr(at, problem.mend.find_first_of(" .", at) - at));
    }
    return options;
}

void expectReadable(const Json& scenario) {
    const ScenarioReading reading = readScenario(scenario, test::catalog(), {});
    for (const Problem& problem : reading.problems)
        if (problem.severity == Severity::error) ADD_FAILURE() << toText(problem) << scenario.dump();
}

TEST(TracedJob, OfADecodersTrainingHasItsModelAndItsBatch) {
    test::RandomSource random(29);
    for (int round = 0; round < 60; ++round) {
        MadeDecoder made;
        made.layers = static_cast<std::int64_t>(1 + random.below(6));
        made.headDim = random.chance(0.5) ? 16 : 32;
        made.kvHeads = static_cast<std::int64_t>(1 + random.below(4));
        made.heads = made.kvHeads * static_cast<std::int64_t>(1 + random.below(3));
        made.hidden = random.chance(0.5) ? made.heads * made.headDim : static_cast<std::int64_t>(64 * (1 + random.below(8)));
        made.ffn = made.hidden * 3 + 8;
        made.vocabulary = static_cast<std::int64_t>(5000 + random.below(1000));
        made.batch = static_cast<std::int64_t>(1 + random.below(4));
        made.tokens = static_cast<std::int64_t>(8 * (1 + random.below(16)));
        made.microBatches = static_cast<std::int64_t>(1 + random.below(3));
        made.fusedQueries = random.chance(0.5);
        made.queryBias = random.chance(0.5);
        made.recomputed = random.chance(0.3);
        const TracedJob job = jobOf(made);
        ASSERT_FALSE(job.scenario->is_null()) << toText(job.problems.front());
        const Json& scenario = job.scenario;
        ASSERT_TRUE(job.planned) << scenario["notes"];
        const Json& config = scenario["model"]["config"];
        EXPECT_EQ(config["num_hidden_layers"], made.layers);
        EXPECT_EQ(config["hidden_size"], made.hidden);
        EXPECT_EQ(config["num_attention_heads"], made.heads);
        EXPECT_EQ(config["num_key_value_heads"], made.kvHeads);
        EXPECT_EQ(config["intermediate_size"], made.ffn);
        EXPECT_EQ(config["vocab_size"], made.vocabulary);
        EXPECT_EQ(config["model_type"], made.queryBias && made.heads * made.headDim == made.hidden ? "qwen2" : "llama");
        EXPECT_EQ(config.value("head_dim", made.headDim), made.headDim);
        const Json& workload = scenario["workload"];
        EXPECT_EQ(workload["sequence_length"], made.tokens);
        EXPECT_EQ(workload["micro_batch_size"], made.batch);
        EXPECT_EQ(workload["global_batch_size"], made.batch * made.microBatches);
        EXPECT_EQ(workload["optimizer"], "adam");
        EXPECT_EQ(scenario["execution"]["recompute"], made.recomputed ? "full" : "none");
        EXPECT_EQ(scenario["cluster"]["accelerator"], "h100-sxm5-80gb");
        if (round < 10) expectReadable(scenario);
    }
}

TEST(TracedJob, OfGpt2KeepsItsTableOfPositions) {
    MadeDecoder made;
    made.heads = made.kvHeads = 4;
    made.gated = false;
    made.fusedQueries = made.queryBias = made.layerNorm = true;
    made.positions = 128;
    made.ffn = 256;
    const TracedJob job = jobOf(made);
    ASSERT_TRUE(job.planned);
    EXPECT_EQ((*job.scenario)["model"]["config"]["model_type"], "gpt2");
    EXPECT_EQ((*job.scenario)["model"]["config"]["n_positions"], 128);
    EXPECT_EQ((*job.scenario)["model"]["config"]["n_inner"], 256);
    expectReadable(job.scenario);
}

TEST(TracedJob, OfAPromptIsABatch) {
    MadeDecoder made;
    made.training = false;
    const TracedJob job = jobOf(made);
    ASSERT_TRUE(job.planned);
    const Json& workload = (*job.scenario)["workload"];
    EXPECT_EQ(workload["kind"], "inference");
    EXPECT_EQ(workload["batch_size"], made.batch);
    EXPECT_EQ(workload["input_length"], made.tokens);
    EXPECT_EQ(workload["output_length"], 1);
    expectReadable(job.scenario);
}

TEST(TracedJob, RanksWorldAndGroupsAreAskedForAndNeverGuessed) {
    MadeDecoder made;
    made.distributed = nullptr;
    EXPECT_EQ(lackingIn(jobOf(made)), (std::vector<std::string>{"--world"}));
    made.distributed = {{"rank", 0}, {"world_size", 16}};
    EXPECT_EQ(lackingIn(jobOf(made)), (std::vector<std::string>{"--per-node"})); // one visible device says nothing of the machine
    made.devices = 8;
    made.reducesInForward = true;
    EXPECT_EQ(lackingIn(jobOf(made)), (std::vector<std::string>{"--tensor", "--pipeline", "--context"}));
    TracedJobOptions given;
    given.tensor = 2;
    given.pipeline = given.context = 1;
    const TracedJob job = jobOf(made, given);
    ASSERT_TRUE(job.planned);
    const Json& scenario = job.scenario;
    EXPECT_EQ(scenario["cluster"]["nodes"], 2);
    EXPECT_EQ(scenario["parallelism"]["tensor"], 2);
    EXPECT_EQ(scenario["model"]["config"]["num_attention_heads"], 2 * made.heads); // the rank has half of them
    EXPECT_EQ(scenario["workload"]["global_batch_size"], made.batch * 8);
    // The job may have named its groups.
    made.distributed["pg_config"] = {{{"pg_name", "1"}, {"pg_desc", "TENSOR_MODEL_PARALLEL_GROUP"}, {"pg_size", 2}, {"ranks", {0, 1}}}, {{"pg_name", "2"}, {"pg_desc", "mesh_pp"}, {"pg_size", 4}}};
    EXPECT_EQ(lackingIn(jobOf(made)), (std::vector<std::string>{"--context"}));
    given = {};
    given.context = 1;
    const TracedJob named = jobOf(made, given);
    EXPECT_EQ((*named.scenario)["parallelism"]["pipeline"], 4);
    EXPECT_EQ((*named.scenario)["model"]["config"]["num_hidden_layers"], 4 * made.layers);
    MadeDecoder unknown;
    unknown.device = "Abacus 3000";
    EXPECT_EQ(lackingIn(jobOf(unknown)), (std::vector<std::string>{"--accelerator"}));
}

TEST(TracedJob, GradientsThatAreSummedUpAfterwardsAreDataParallel) {
    MadeDecoder made;
    made.distributed = {{"rank", 3}, {"world_size", 8}};
    made.devices = 8;
    made.reducesGradients = true;
    const TracedJob job = jobOf(made);
    ASSERT_TRUE(job.planned) << (job.problems.empty() ? "" : toText(job.problems.front()));
    EXPECT_FALSE((*job.scenario).contains("parallelism"));
    EXPECT_EQ((*job.scenario)["workload"]["global_batch_size"], made.batch * 8);
}

TEST(TracedJob, OfRealPromptsIsThePublishedModel) {
    for (const auto& [path, accelerator] : {std::pair("tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "h100-sxm5-80gb"), std::pair("tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "mi300x")}) {
        ORRERY_REQUIRE_SHARED(std::string("traces/") + path);
        EXPECT_EQ(lackingIn(jobOf(path)), (std::vector<std::string>{"--world"})) << path;
        TracedJobOptions alone;
        alone.world = 1;
        const TracedJob job = jobOf(path, alone);
        ASSERT_TRUE(job.planned) << path;
        const Json& config = (*job.scenario)["model"]["config"];
        // huggingface.co/Qwen/Qwen1.5-0.5B-Chat, config.json
        EXPECT_EQ(config["hidden_size"], 1024);
        EXPECT_EQ(config["num_hidden_layers"], 24);
        EXPECT_EQ(config["num_attention_heads"], 16);
        EXPECT_EQ(config["num_key_value_heads"], 16);
        EXPECT_EQ(config["intermediate_size"], 2816);
        EXPECT_EQ(config["vocab_size"], 151936);
        EXPECT_EQ(config["model_type"], "qwen2");
        EXPECT_EQ((*job.scenario)["workload"]["batch_size"], 16);
        EXPECT_EQ((*job.scenario)["workload"]["input_length"], 559);
        EXPECT_EQ((*job.scenario)["cluster"]["accelerator"], accelerator);
        expectReadable(job.scenario);
    }
}

TEST(TracedJob, WithoutAModelRunsTheRecordedGraph) {
    for (const char* path : {"dlrm/kineto/worker0_step_12.1694128201545.pt.trace.json.gz", "tracelens/inference/sglang_prefilldecode/sglang_Qwen3-8B_prefilldecode.json.gz", "tracelens/b200/eager_trace.json.gz"}) {
        ORRERY_REQUIRE_SHARED(std::string("traces/") + path);
        const KinetoTrace trace = traceOf(test::readWholeFile(test::sharedPath(std::string("traces/") + path)));
        const TracedJob job = tracedJob(trace, test::catalog(), {});
        ASSERT_FALSE(job.scenario->is_null()) << path << toText(job.problems.front());
        EXPECT_FALSE(job.planned);
        // Every kernel and copy that was launched while it was recorded stands in one node with the time that it took.
        std::set<std::int64_t> launches;
        for (const HostCall& call : trace.runtimeCalls) launches.insert(call.correlation);
        double all = 0, launched = 0, found = 0;
        for (const DeviceEvent& event : trace.device) {
            const double microseconds = static_cast<double>(event.when.end - event.when.start) / 1e3;
            all += microseconds;
            if (launches.contains(event.correlation)) launched += microseconds;
        }
        for (const Json& node : (*job.scenario)["model"]["graph"]["nodes"]) found += node["duration_us"].get<double>();
        EXPECT_GE(found, launched * (1 - 1e-9)) << path;
        EXPECT_LE(found, all * (1 + 1e-9)) << path;
        expectReadable(job.scenario);
    }
}

TEST(OperatorShapes, AreReadBackAsTheyWereWritten) {
    const std::vector<ArgumentShape> read = argumentShapes("[16,559,][][[2,3,][4,]]5,|c10::BFloat16,Scalar,TensorList,Scalar,");
    ASSERT_EQ(read.size(), 4U);
    EXPECT_EQ(read[0].front().dimensions, (std::vector<std::int64_t>{16, 559}));
    EXPECT_EQ(read[0].front().type, "c10::BFloat16");
    EXPECT_TRUE(read[1].empty());
    EXPECT_EQ(read[2].size(), 2U);
    EXPECT_TRUE(read[3].empty());
    for (const char* broken : {"", "[", "[1", "[1,", "[[[[[[[[[[[[", "]", "[x,]", "[-1,]"}) (void)argumentShapes(broken);
    EXPECT_EQ(shapesText("[16,559,][][[2,3,][4,]]5,|a,b,"), R"("Input Dims":[[16,559],[],[[2,3],[4]],5],"Input type":["a","b"])");
}

} // namespace
} // namespace orrery
