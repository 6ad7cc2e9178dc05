// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

#include <limits>

// What the field table catches: keys, types, ranges, words.

namespace orrery::test {
namespace {

TEST(Structure, TheFirstExampleHasNoProblem) {
    const ScenarioReading reading = read(soundDocument());
    ASSERT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    EXPECT_TRUE(reading.problems.empty()) << listed(reading.problems);
}

TEST(Structure, UnknownKeyNamesTheNearest) {
    Json document = soundDocument();
    document["cluster"].erase("nodes");
    document["cluster"]["nodez"] = 8;
    const ScenarioReading reading = read(document);
    const Problem* problem = find(reading.problems, "unknown-key");
    ASSERT_NE(problem, nullptr);
    EXPECT_EQ(problem->pointer, "/cluster/nodez");
    EXPECT_EQ(problem->message, "There is no key \"nodez\" in /cluster; the nearest known key is \"nodes\".");
    EXPECT_EQ(problem->mend, "Rename it to \"nodes\".");
    EXPECT_TRUE(read(mended(document, *problem)).scenario.has_value());
}

TEST(Structure, UnknownKeyEverywhere) {
    expectProblem(changed("/paralelism", Json::object()), "unknown-key", "/paralelism",
                  "There is no key \"paralelism\" in a scenario; the nearest known key is \"parallelism\".");
    expectProblem(changed("/workload/microbatch", 1), "unknown-key", "/workload/microbatch",
                  "There is no key \"microbatch\" in /workload; the nearest known key is \"micro_batch_size\".");
    expectProblem(changed("/execution", Json{{"overlap", {{"date", true}}}}), "unknown-key", "/execution/overlap/date",
                  "There is no key \"date\" in /execution/overlap; the nearest known key is \"data\".");
    expectProblem(changed("/execution", Json{{"a/b~c", 1}}), "unknown-key", "/execution/a~1b~0c",
                  "There is no key \"a/b~c\" in /execution; the nearest known key is \"passes\".");
}

TEST(Structure, AKeyOfAnotherSectionIsSentHome) {
    const Problems problems = read(changed("/workload/tensor", 8)).problems;
    const Problem* problem = find(problems, "unknown-key");
    ASSERT_NE(problem, nullptr);
    EXPECT_EQ(problem->mend, "Move it: \"tensor\" belongs to /parallelism.");
    const Problems batch = read(changed("/workload/batch_size", 8)).problems;
    ASSERT_NE(find(batch, "unknown-key"), nullptr);
    EXPECT_EQ(find(batch, "unknown-key")->mend, "Move it: \"batch_size\" belongs to /workload of kind \"inference\".");
}

TEST(Structure, FreePlacesTakeAnything) {
    Json document = soundDocument();
    document["notes"] = Json{{"anything", Json::array({1, "two"})}};
    document["view"] = Json{{"zoom", 3}};
    const Json config = catalog().model("llama-3.1-70b")->config;
    document["model"] = Json{{"config", config}};
    document["model"]["config"]["invented_by_us"] = true;
    EXPECT_TRUE(read(document).scenario.has_value()) << listed(read(document).problems);
}

TEST(Structure, WrongTypes) {
    expectProblem(Json::array(), "wrong-type", "", "The document must be an object, but is an empty list.");
    expectProblem(changed("/cluster", "big"), "wrong-type", "/cluster", "cluster must be an object, but is \"big\".");
    expectProblem(changed("/parallelism/tensor", "eight"), "wrong-type", "/parallelism/tensor",
                  "tensor must be a whole number, but is \"eight\".");
    expectProblem(changed("/parallelism/sequence", 1), "wrong-type", "/parallelism/sequence", "sequence must be true or false, but is 1.");
    expectProblem(changed("/workload/precision", true), "wrong-type", "/workload/precision",
                  "precision must be one of bf16, fp16, fp8, mxfp8, nvfp4, int8 or int4, but is true.");
    expectProblem(changed("/parallelism/pipeline_layout", Json::array({40, "x"})), "wrong-type", "/parallelism/pipeline_layout/1",
                  "Entry 1 of pipeline_layout must be a whole number, but is \"x\".");
    expectProblem(changed("/execution", Json{{"recompute", 3}}), "wrong-type", "/execution/recompute",
                  "recompute must be one of none, selective, full or auto, an object with \"modules\" or an object with \"every\", but is 3.");
    expectMendWorks(changed("/parallelism/tensor", "8"), "wrong-type");
    expectMendWorks(changed("/parallelism/sequence", "true"), "wrong-type");
}

TEST(Structure, NumbersOutOfRange) {
    expectProblem(changed("/parallelism/tensor", -2), "out-of-range", "/parallelism/tensor", "tensor must be at least 1, but is -2.");
    expectProblem(changed("/workload/global_batch_size", 0), "out-of-range", "/workload/global_batch_size",
                  "global_batch_size must be at least 1, but is 0.");
    expectProblem(changed("/workload/sequence_length", 1e30), "out-of-range", "/workload/sequence_length",
                  "sequence_length must be at most 100000000, but is 1e+30.");
    expectProblem(changed("/cluster/nodes", std::numeric_limits<std::uint64_t>::max()), "out-of-range", "/cluster/nodes",
                  "nodes must be at most 100000, but is 1.84467e+19.");
    expectProblem(changed("/workload/micro_batch_size", std::numeric_limits<double>::quiet_NaN()), "not-a-number",
                  "/workload/micro_batch_size", "micro_batch_size must be a finite number.");
    expectProblem(changed("/workload/micro_batch_size", std::numeric_limits<double>::infinity()), "not-a-number",
                  "/workload/micro_batch_size", "micro_batch_size must be a finite number.");
    expectProblem(changed("/parallelism/pipeline", 2.5), "not-a-whole-number", "/parallelism/pipeline",
                  "pipeline must be a whole number, but is 2.5.");
    expectProblem(changed("/parallelism/zero_stage", 4), "out-of-range", "/parallelism/zero_stage", "zero_stage must be at most 3, but is 4.");
    expectProblem(changed("/cluster/scale_out", Json{{"bandwidth_gb_s", 0}}), "out-of-range", "/cluster/scale_out/bandwidth_gb_s",
                  "bandwidth_gb_s must be greater than 0, but is 0.");
    for (const double tiny : {1e-308, 1e-10})
        expectProblem(changed("/cluster/scale_out", Json{{"bandwidth_gb_s", tiny}}), "out-of-range", "/cluster/scale_out/bandwidth_gb_s",
                      "bandwidth_gb_s must be at least 1e-09, but is " + std::string(tiny == 1e-10 ? "1e-10" : "1e-308") + ".");
    expectProblem(changed("/cluster/scale_out", Json{{"oversubscription", 0.5}}), "out-of-range", "/cluster/scale_out/oversubscription",
                  "oversubscription must be at least 1, but is 0.5.");
    expectProblem(changed("/cluster/scale_out", Json{{"latency_us", -1}}), "out-of-range", "/cluster/scale_out/latency_us",
                  "latency_us must be at least 0, but is -1.");
}

TEST(Structure, AWholeNumberMayBeWrittenWithAPoint) {
    EXPECT_TRUE(read(changed("/parallelism/tensor", 8.0)).scenario.has_value());
}

TEST(Structure, UnknownWordsNameTheAllowedOnes) {
    const Json document = changed("/workload/precision", "bf61");
    expectProblem(document, "unknown-value", "/workload/precision", "precision cannot be \"bf61\".");
    const Problems problems = read(document).problems;
    EXPECT_EQ(find(problems, "unknown-value")->mend,
              "Did you mean \"bf16\"? Use \"bf16\", \"fp16\", \"fp8\", \"mxfp8\", \"nvfp4\", \"int8\" or \"int4\".");
    expectMendWorks(document, "unknown-value");
    expectProblem(changed("/format", "orrery-scenario/2"), "unknown-value", "/format", "format cannot be \"orrery-scenario/2\".");
    expectMendWorks(changed("/format", "orrery-scenario/2"), "unknown-value");
    expectProblem(changed("/parallelism/schedule", "1F1B"), "unknown-value", "/parallelism/schedule", "schedule cannot be \"1F1B\".");
    expectMendWorks(changed("/parallelism/schedule", "1F1B"), "unknown-value");
}

TEST(Structure, MissingKeys) {
    for (const char* pointer : {"/format", "/model", "/cluster", "/workload", "/workload/kind", "/workload/sequence_length",
                                "/workload/global_batch_size", "/workload/micro_batch_size", "/workload/precision", "/cluster/accelerator"}) {
        const ScenarioReading reading = read(changed(pointer, nullptr));
        const Problem* problem = find(reading.problems, "missing-key");
        ASSERT_NE(problem, nullptr) << pointer << "\n"
                                    << listed(reading.problems);
        EXPECT_EQ(problem->pointer, pointer);
        EXPECT_FALSE(problem->mend.empty());
        EXPECT_FALSE(reading.scenario.has_value());
    }
    expectProblem(changed("/format", nullptr), "missing-key", "/format", "The scenario needs \"format\".");
    expectMendWorks(changed("/format", nullptr), "missing-key");
    expectProblem(changed("/cluster/nodes", nullptr), "missing-key", "/cluster/nodes", "/cluster needs one of \"nodes\" and \"topology\".");
    expectProblem(changed("/model", Json::object()), "missing-key", "/model/preset",
                  "/model needs one of \"preset\", \"config\", \"config_file\", \"graph\", \"graph_file\" and \"toy\".");
}

TEST(Structure, WaysToSayAThingExcludeEachOther) {
    expectProblem(changed("/model/config_file", "config.json"), "conflicting-keys", "/model/config_file",
                  "\"preset\" and \"config_file\" exclude each other in /model.");
    expectMendWorks(changed("/model/config_file", "config.json"), "conflicting-keys");
    expectProblem(changed("/cluster/topology", Json{{"nodes", Json::array({Json{{"id", "a"}, {"kind", "host"}}})}}), "conflicting-keys",
                  "/cluster/topology", "\"nodes\" and \"topology\" exclude each other in /cluster.");
}

TEST(Structure, EveryMistakeIsListedAtOnce) {
    Json document = soundDocument();
    at(document, "/parallelism/tensor") = -1;
    at(document, "/workload/precision") = 7;
    document["extra"] = 1;
    EXPECT_EQ(read(document).problems.size(), 3u);
    // An unknown key does not hide what the rules find.
    Json other = soundDocument();
    other["extra"] = 1;
    at(other, "/parallelism/tensor") = 7;
    const Problems problems = read(other).problems;
    EXPECT_NE(find(problems, "unknown-key"), nullptr);
    EXPECT_NE(find(problems, "tensor-heads"), nullptr);
}

} // namespace
} // namespace orrery::test
