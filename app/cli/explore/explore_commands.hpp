// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {

class App;
}

namespace orrery {

/// Commands that try many scenarios. One struct and one function a command, as in app/cli/commands.hpp.

struct SweepOptions {
    std::string scenario;
    std::vector<std::string> vary;                         ///< POINTER=VALUES
    std::vector<std::pair<std::string, BoxedJson>> varied; ///< more: POINTER with a list of values, or with VALUES
    std::vector<std::string> metrics;                      ///< RESULT POINTERs, or names of the scenario's measures
    std::string checkpoint;                                ///< file; empty: none
    std::string table;                                     ///< file that ends in .csv or .xlsx; empty: none
    double most = 20000;                                   ///< points; more are refused with what they would take
    bool json = false;
    int threads = 0; ///< 0: as many as the machine has
};
int runSweepCommand(const SweepOptions& options);

struct SolveOptions {
    std::string scenario;
    std::string vary;  ///< POINTER=LOW..HIGH
    std::string reach; ///< RESULT POINTER=VALUE
    bool json = false;
};
int runSolveCommand(const SolveOptions& options);

struct SensitivityOptions {
    std::string scenario;
    std::string metric;
    double byPercent = 10;
    bool json = false;
    int threads = 0; ///< 0: as many as the machine has
};
int runSensitivityCommand(const SensitivityOptions& options);

struct SearchCommandOptions {
    std::string scenario;
    std::string checkpoint;  ///< file; empty: none
    std::string table;       ///< file that ends in .csv or .xlsx; empty: none
    double most = 2'000'000; ///< combinations; more are refused before the first
    bool exhaustive = false; ///< simulate every combination that is a scenario
    bool json = false;
    int threads = 0; ///< 0: as many as the machine has
};
int runSearchCommand(const SearchCommandOptions& options);

struct PlanCommandOptions {
    std::string model;     ///< catalogue id, config.json or its folder, folder of Hugging Face's cache, or ORG/NAME of a model in that cache
    std::string machine;   ///< NxPLATFORM
    std::string margin;    ///< "5%" or "0.05"; empty: by the error of the memory account
    std::string network;   ///< "800Gb/s" or "100GB/s"; empty: the platform's
    std::string framework; ///< profile id; empty: the usual one
    std::string precision; ///< empty: the usual one
    bool train = false;    ///< also where neither is asked for
    bool serve = false;
    int sequence = 0, batch = 0; ///< 0: usual ones
    double rate = 0;             ///< requests/s; 0: as many as there can be
    int input = 1024, output = 256;
    double ttft = 0, tpot = 0; ///< s; 0: no limit
    bool json = false;
    int threads = 0; ///< 0: as many as the machine has
};
int runPlanCommand(const PlanCommandOptions& options);

/// What the command line holds of these.
struct ExploreOptions {
    PlanCommandOptions plan;
    SweepOptions sweep;
    SolveOptions solve;
    SensitivityOptions sensitivity;
    SearchCommandOptions search;
};

/// Adds them to the command line; the one that is named leaves what it does in `run`.
void addExploreCommands(CLI::App& app, ExploreOptions& options, std::function<int()>& run);

} // namespace orrery
