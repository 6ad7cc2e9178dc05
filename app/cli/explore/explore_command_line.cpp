// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/command_parts.hpp"
#include "app/cli/explore/explore_commands.hpp"

#include <CLI/CLI.hpp>

namespace orrery {

namespace {

void addSweep(CLI::App& app, SweepOptions& options, std::function<int()>& run) {
    CLI::App& command = *app.add_subcommand("sweep", "Simulate every combination of some values of some keys");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    takeMany(command.add_option("--vary", options.vary, "POINTER=VALUES: a key and its values, as 1,2,4 or 1..8 or 1..8:2 or log:1..64:7; may be repeated"))->required();
    takeMany(command.add_option("--metric", options.metrics, "Pointer into the result, or a name of the scenario's measures; may be repeated"));
    command.add_option("--checkpoint", options.checkpoint, "File that keeps each point; what it holds is not simulated again");
    command.add_option("--table", options.table, "Write the points as a table, by the ending .csv or .xlsx");
    command.add_option("--most", options.most, "Points that may be asked for (20000); more are refused before the first")->check(CLI::PositiveNumber);
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&options, &run] { run = [&options] { return runSweepCommand(options); }; });
}

void addSolve(CLI::App& app, SolveOptions& options, std::function<int()>& run) {
    CLI::App& command = *app.add_subcommand("solve", "The value of a key with which the result says what is wanted");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    command.add_option("--vary", options.vary, "POINTER=LOW..HIGH: the key and where to look")->required();
    command.add_option("--reach", options.reach, "POINTER=VALUE: what the result has to say; a pointer into it, or a name of the scenario's measures")->required();
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runSolveCommand(options); }; });
}

void addSensitivity(CLI::App& app, SensitivityOptions& options, std::function<int()>& run) {
    constexpr double least = 0.001, most = 90;
    CLI::App& command = *app.add_subcommand("sensitivity", "What a figure becomes when each link, rate, latency and efficiency is less and more");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    command.add_option("--metric", options.metric, "Pointer into the result, or a name of the scenario's measures")->required();
    command.add_option("--by", options.byPercent, "By how many percent (10)")->check(CLI::Range(least, most));
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&options, &run] { run = [&options] { return runSensitivityCommand(options); }; });
}

void addSearch(CLI::App& app, SearchCommandOptions& options, std::function<int()>& run) {
    CLI::App& command = *app.add_subcommand("search", "The best plans of the space that the scenario's search names");
    command.add_option("SCENARIO", options.scenario, "Scenario file with a search, or - for standard input")->required();
    command.add_option("--checkpoint", options.checkpoint, "File that keeps each simulated plan; what it holds is not simulated again");
    command.add_option("--table", options.table, "Write the plans as a table, by the ending .csv or .xlsx (then what was not simulated too)");
    command.add_option("--most", options.most, "Combinations that may be asked for (2000000); more are refused before the first")->check(CLI::PositiveNumber);
    command.add_flag("--exhaustive", options.exhaustive, "Simulate every combination that is a scenario, whatever its estimate says");
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&options, &run] { run = [&options] { return runSearchCommand(options); }; });
}

} // namespace

void addExploreCommands(CLI::App& app, ExploreOptions& options, std::function<int()>& run) {
    addSweep(app, options.sweep, run);
    addSolve(app, options.solve, run);
    addSensitivity(app, options.sensitivity, run);
    addSearch(app, options.search, run);
}

} // namespace orrery
