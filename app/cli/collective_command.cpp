// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/rank_list.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "resources/shipped_catalog.hpp"

#include <cmath>
#include <iostream>
#include <numeric>

namespace orrery {
namespace {

/// More than all memories of the largest machines together; beyond it times leave the range of numbers.
constexpr double mostBytes = 1e18;

Problem badOption(const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = "bad-command-line";
    problem.message = message;
    problem.mend = mend;
    return problem;
}

void printText(const LoneCollective& timing, std::size_t ranks, std::ostream& out) {
    TextTable table;
    table.setLeft(1);
    table.add({"Ranks", groupedText(static_cast<double>(ranks))});
    table.add({"Time", timeText(timing.time)});
    table.add({"Algorithm", timing.algorithm + (timing.protocol.empty() ? "" : ", " + timing.protocol) + (timing.formula.empty() ? "" : "  " + timing.formula)});
    table.add({"Algorithm bandwidth", fixedText(timing.algorithmBandwidth / units::gigabyte, 2) + " GB/s"});
    table.add({"Bus bandwidth", fixedText(timing.busBandwidth / units::gigabyte, 2) + " GB/s"});
    table.print(out);
}

} // namespace

int runCollective(const CollectiveOptions& options) {
    const std::optional<CollectiveKind> kind = collectiveNamed(options.operation);
    if (!kind) {
        return refuse(badOption("--op " + options.operation + " is no operation.",
                                "Use all_reduce, all_gather, reduce_scatter, alltoall, sendrecv or broadcast."),
                      options.json);
    }
    if (!std::isfinite(options.bytes) || options.bytes <= 0 || options.bytes > mostBytes) {
        return refuse(badOption("--bytes must be above 0 and at most 1e18.", "Give the message size in bytes."), options.json);
    }
    const Catalog catalog = shippedCatalog();
    const ScenarioReading reading = loadScenario(options.scenario, catalog);
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems, options.json);
    const Cluster& cluster = reading.scenario->cluster;

    std::vector<int> ranks(static_cast<std::size_t>(cluster.accelerators()));
    std::iota(ranks.begin(), ranks.end(), 0);
    if (!options.ranks.empty()) {
        std::string error;
        const std::optional<std::vector<int>> chosen = readRankList(options.ranks, cluster.accelerators(), error);
        if (!chosen) return refuse(badOption("--ranks: " + error, "Write, for example, 0-15 or 0,8,16."), options.json);
        ranks = *chosen;
    }
    const LoneCollective timing = runLoneCollective(*reading.scenario, ranks, *kind, options.bytes);
    if (!timing.problems.empty()) return refuse(timing.problems, options.json);
    if (options.json) {
        printDocument(Json{{"time_s", timing.time},
                           {"algorithm", timing.algorithm},
                           {"algorithm_bandwidth_gb_s", timing.algorithmBandwidth / units::gigabyte},
                           {"bus_bandwidth_gb_s", timing.busBandwidth / units::gigabyte},
                           {"protocol", timing.protocol},
                           {"ranks", ranks.size()},
                           {"formula", timing.formula},
                           {"latency_s", timing.latency},
                           {"transfer_s", timing.transfer}});
    } else {
        printText(timing, ranks.size(), std::cout);
    }
    return exit_done;
}

} // namespace orrery
