// SPDX-License-Identifier: GPL-3.0-or-later
// A recorded graph as a scenario's model, as a user runs it.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orrery {
namespace {

/// Two products with a collective between them, and a node that nobody knows.
Json graph() {
    const Json matrix{{"shape", {4096, 4096}}, {"dtype", "bfloat16"}};
    const auto node = [&](const char* name, const char* target, Json inputs) {
        return Json{{"name", name}, {"target", target}, {"inputs", std::move(inputs)}, {"outputs", Json::array({matrix})}};
    };
    return Json::array({Json{{"name", "x"}, {"op", "placeholder"}, {"outputs", Json::array({matrix})}},
                        node("a", "aten.mm.default", Json::array({"x", "x"})),
                        node("r", "_c10d_functional.all_reduce.default", Json::array({"a", "sum", "0"})),
                        node("o", "mylib.odd.default", Json::array({"r"})),
                        node("b", "aten.mm.default", Json::array({"r", "x"}))});
}

Json scenario(Json model) {
    Json document = smallScenario();
    document["model"] = std::move(model);
    document["parallelism"] = Json::object();
    return document;
}

TEST(RecordedGraph, RunsFromTheScenarioAndFromAFileBesideIt) {
    const ScratchFolder folder;
    folder.write("graph.json", graph().dump());
    const ProcessResult inside = runCli({"simulate", folder.write("inside.json", scenario({{"graph", graph()}}).dump()), "--json"});
    const ProcessResult beside =
        runCli({"simulate", folder.write("beside.json", scenario({{"graph_file", "graph.json"}}).dump()), "--json"});
    ASSERT_EQ(inside.status, 0) << inside.err;
    ASSERT_EQ(beside.status, 0) << beside.err;
    const Json a = Json::parse(inside.out), b = Json::parse(beside.out);
    EXPECT_EQ(a["iteration_time_s"], b["iteration_time_s"]);
    EXPECT_EQ(a["operations"], b["operations"]);
    double sum = 0;
    for (const auto& [key, value] : a["time_breakdown_s"].items()) sum += value.get<double>();
    EXPECT_NEAR(sum, a["iteration_time_s"].get<double>(), 1e-9 * sum);
    ASSERT_EQ(a["warnings"].size(), 1u);
    EXPECT_EQ(a["warnings"][0]["code"], "unmapped-node");
    EXPECT_EQ(a["warnings"][0]["pointer"], "/model/graph");
    EXPECT_EQ(b["warnings"][0]["pointer"], "/model/graph_file");
    EXPECT_NE(a["warnings"][0]["message"].get<std::string>().find("mylib::odd"), std::string::npos);
    // On one accelerator the collective has nobody to talk to.
    Json alone = scenario({{"graph", graph()}});
    alone["cluster"]["accelerators_per_node"] = 1;
    const Json single = Json::parse(runCli({"simulate", folder.write("alone.json", alone.dump()), "--json"}).out);
    EXPECT_LT(single["iteration_time_s"].get<double>(), a["iteration_time_s"].get<double>());
    EXPECT_EQ(single["time_breakdown_s"]["data_exposed"], 0);
}

TEST(RecordedGraph, NoPassDoesAnything) {
    const ScratchFolder folder;
    const std::string plain = folder.write("plain.json", scenario({{"graph", graph()}}).dump());
    Json off = scenario({{"graph", graph()}});
    for (const char* pass : {"data", "fusion", "tensor", "zero", "overlap"}) off["execution"]["passes"][pass] = false;
    const Json on = Json::parse(runCli({"simulate", plain, "--json", "--explain"}).out);
    const Json without = Json::parse(runCli({"simulate", folder.write("off.json", off.dump()), "--json"}).out);
    EXPECT_EQ(on["iteration_time_s"], without["iteration_time_s"]);
    EXPECT_EQ(on["operations"], without["operations"]);
    ASSERT_FALSE(on["passes"].empty());
    for (const Json& pass : on["passes"]) {
        EXPECT_EQ(pass["idle"], "the graph runs as it was recorded.");
        EXPECT_TRUE(pass["pieces"].empty());
    }
}

TEST(RecordedGraph, EveryViewOfTheResultIsThere) {
    const ScratchFolder folder;
    const std::string file = folder.write("s.json", scenario({{"graph", graph()}}).dump());
    const ProcessResult traced = runCli({"simulate", file, "--json", "--explain", "--trace", folder.path("t.json")});
    ASSERT_EQ(traced.status, 0) << traced.err;
    EXPECT_TRUE(Json::parse(traced.out).contains("explanations"));
    const Json trace = Json::parse(std::ifstream(folder.path("t.json")));
    int products = 0;
    for (const Json& event : trace["traceEvents"]) products += event["name"] == "aten::mm" ? 1 : 0;
    EXPECT_EQ(products, 2);
    EXPECT_EQ(runCli({"simulate", file}).status, 0);
    EXPECT_EQ(runCli({"memory", file, "--json"}).status, 0);
    EXPECT_EQ(runCli({"compare", file, file, "--json"}).status, 0);
}

TEST(RecordedGraph, BrokenFilesEndWith2AndSayWhere) {
    const ScratchFolder folder;
    const std::string cases[][2]{{"", "empty"},
                                 {"{\"nodes\": [", "line 1"},
                                 {"\x1f\x8b\x08\x08", "gzip"},
                                 {"\x05\x01", "message 0"},
                                 {"{\"traceEvents\": []}", "timeline"}};
    for (const auto& [content, expected] : cases) {
        folder.write("graph.et", content);
        const ProcessResult run = runCli({"simulate", folder.write("s.json", scenario({{"graph_file", "graph.et"}}).dump()), "--json"});
        EXPECT_EQ(run.status, 2) << expected;
        const Json problem = Json::parse(run.out)["problems"][0];
        EXPECT_EQ(problem["pointer"], "/model/graph_file");
        EXPECT_NE(problem["message"].get<std::string>().find(expected), std::string::npos) << problem;
        EXPECT_FALSE(problem["mend"].get<std::string>().empty());
    }
}

} // namespace
} // namespace orrery
