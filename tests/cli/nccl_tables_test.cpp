// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/nccl_tables.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <numeric>

// `orrery-cli collective` on the platforms whose collectives were measured.

namespace orrery {
namespace {

using namespace orrery::test;

/// A scenario whose cluster is the table's platform, with as many hosts as the ranks need.
Json scenarioOf(const Json& platform, int ranks) {
    const int perNode = platform.at("accelerators_per_node"), domain = platform.at("scale_up_domain");
    const int nodes = (ranks + perNode - 1) / perNode, accelerators = nodes * perNode;
    Json cluster{{"accelerator", platform.at("accelerator")}, {"accelerators_per_node", perNode}, {"nodes", nodes}};
    if (domain != perNode) cluster["scale_up"] = {{"domain_size", domain}};
    if (platform.contains("scale_out_gb_per_s")) cluster["scale_out"] = {{"bandwidth_gb_s", platform.at("scale_out_gb_per_s")}};
    if (platform.contains("network")) cluster["network"] = platform.at("network");
    return {{"format", "orrery-scenario/1"},
            {"name", "collectives"},
            {"model", {{"preset", "gpt3-175b"}}},
            {"cluster", cluster},
            {"workload", {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", accelerators}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", {{"tensor", 1}}}};
}

double cliTime(const std::string& scenario, const std::string& operation, double bytes, int ranks) {
    const ProcessResult run = runCli({"collective", scenario, "--op", operation, "--bytes", std::to_string(static_cast<long long>(bytes)), "--ranks",
                                      "0-" + std::to_string(ranks - 1), "--json"});
    EXPECT_EQ(run.status, 0) << run.err;
    const Json document = Json::parse(run.out, nullptr, false);
    return document.is_discarded() ? 0 : document.value("time_s", 0.0);
}

/// Every row is timed as the command times it; of each table the first, middle and last row by the command itself.
TEST(CollectiveCommand, MeetsEveryMeasuredTable) {
    ORRERY_REQUIRE_SHARED("reference/nccl.json");
    ORRERY_REQUIRE_SHARED("reference/nccl_domains.json");
    const NcclTables reference = NcclTables::load();
    const Catalog catalog = shippedCatalog();
    const ScratchFolder folder;
    CollectiveErrors all;
    std::map<std::string, CollectiveErrors> tables;
    for (const Json& table : reference.tables) {
        const std::string id = table.at("id"), operation = table.at("collective");
        const int ranks = table.at("ranks");
        const Json* platform = reference.platformOf(table);
        ASSERT_NE(platform, nullptr) << id;
        const Json document = scenarioOf(*platform, ranks);
        const ScenarioReading reading = readScenario(document, catalog);
        ASSERT_TRUE(reading.scenario.has_value()) << id << ": " << toText(reading.problems.front());
        const std::string file = folder.path("scenario.orrery.json");
        std::ofstream(file) << document.dump();
        std::vector<int> members(static_cast<std::size_t>(ranks));
        std::iota(members.begin(), members.end(), 0);

        CollectiveErrors errors;
        const Json& rows = table.at("rows");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double bytes = rows[i].at(0), measured = rows[i].at(1).get<double>() * 1e-6;
            const double time = runLoneCollective(*reading.scenario, members, collectiveNamed(operation), bytes).time;
            const bool sampled = i == 0 || i == rows.size() / 2 || i + 1 == rows.size();
            if (sampled) {
                EXPECT_EQ(cliTime(file, operation, bytes, ranks), time) << id << " row " << i;
            }
            errors.add(bytes, 100 * (time / measured - 1));
        }
        std::cout << std::left << std::setw(44) << id << errors.line() << '\n';
        all.add(errors);
        tables[id] = errors;
    }
    std::cout << std::left << std::setw(44) << "all rows" << all.line() << '\n';
    expectTablesMet(all, tables);
}

/// Where stated timing is asked for the closed forms hold: n ranks, g a host, W = min(scale-up, g × scale-out).
TEST(CollectiveCommand, IsTheClosedFormWhereStatedTimingIsAskedFor) {
    const ScratchFolder folder;
    const double up = 450e9, out = 50e9, upLatency = 1.25e-6, outLatency = 2 * 3.5e-6, bytes = 123456789;
    Json document = scenarioOf({{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"scale_up_domain", 8}}, 32);
    document["cluster"]["scale_up"] = {{"bandwidth_gb_s", 450}, {"latency_us", 1.25}};
    document["cluster"]["scale_out"] = {{"bandwidth_gb_s", 50}, {"latency_us", 3.5}};
    document["execution"] = {{"collectives", {{"timing", "stated"}}}};
    const std::string file = folder.path("stated.orrery.json");
    std::ofstream(file) << document.dump();
    const auto expectTime = [&](const char* operation, int ranks, double seconds) {
        EXPECT_NEAR(cliTime(file, operation, bytes, ranks), seconds, 1e-9 * seconds) << operation << " of " << ranks;
    };
    for (const int n : {2, 4, 8, 16, 24, 32}) {
        const bool oneHost = n <= 8;
        const double W = oneHost ? up : std::min(up, 8 * out), a = oneHost ? upLatency : outLatency;
        const double share = (n - 1.0) / n;
        expectTime("all_reduce", n, 2 * share * bytes / W + 2 * (n - 1) * a);
        expectTime("reduce_scatter", n, share * bytes / W + (n - 1) * a);
        expectTime("all_gather", n, share * bytes / W + (n - 1) * a);
        const double g = std::min(n, 8);
        expectTime("alltoall", n, std::max((g - 1) / n * bytes / up, (n - g) / n * bytes / out) + a);
    }
    expectTime("sendrecv", 2, bytes / up + upLatency);
}

} // namespace
} // namespace orrery
