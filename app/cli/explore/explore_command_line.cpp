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

void addPlan(CLI::App& app, PlanCommandOptions& options, std::function<int()>& run) {
    CLI::App& command = *app.add_subcommand("plan", "The best plan for a model on a machine, two others that differ, why, and the command that starts it");
    command.add_option("MODEL", options.model, "Catalogue id, config.json or its folder, folder of Hugging Face's cache, or ORG/NAME of a model there")->required();
    command.add_option("--on", options.machine, "NxPLATFORM: so many hosts of a platform (32xdgx-h100), or so many accelerators (256xh100-sxm5-80gb)")->required();
    CLI::Option* train = command.add_flag("--train", options.train, "Plan training (unless --serve is given)");
    CLI::Option* serve = command.add_flag("--serve", options.serve, "Plan a server");
    train->excludes(serve);
    command.add_option("--sequence", options.sequence, "With --train: tokens of a sequence (8192, or the model's most)")->check(CLI::PositiveNumber)->excludes(serve);
    command.add_option("--batch", options.batch, "With --train: sequences of an iteration (4 an accelerator)")->check(CLI::PositiveNumber)->excludes(serve);
    command.add_option("--rate", options.rate, "With --serve: requests a second; as many as there can be unless given")->check(CLI::PositiveNumber)->needs(serve);
    command.add_option("--input", options.input, "With --serve: tokens of a prompt (1024)")->check(CLI::PositiveNumber)->needs(serve);
    command.add_option("--output", options.output, "With --serve: tokens of an answer (256)")->check(CLI::PositiveNumber)->needs(serve);
    command.add_option("--ttft", options.ttft, "With --serve: seconds within which 9 of 10 first tokens come")->check(CLI::PositiveNumber)->needs(serve);
    command.add_option("--tpot", options.tpot, "With --serve: seconds a token that 9 of 10 requests get theirs within")->check(CLI::PositiveNumber)->needs(serve);
    command.add_option("--margin", options.margin, "Share of the memory that stays free, as 5%; what the error of the memory account justifies unless given");
    command.add_option("--network", options.network, "Bandwidth between hosts of each accelerator and direction, as 800Gb/s or 100GB/s; the platform's unless given");
    command.add_option("--framework", options.framework, "Profile whose kernels, overlaps and rules hold (megatron-core-2025; vllm-2026 with --serve)");
    command.add_option("--precision", options.precision, "Number format of matrix products (bf16; with --serve what the checkpoint is stored in)");
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&options, &run] { run = [&options] { return runPlanCommand(options); }; });
}

} // namespace

void addExploreCommands(CLI::App& app, ExploreOptions& options, std::function<int()>& run) {
    addPlan(app, options.plan, run);
    addSweep(app, options.sweep, run);
    addSolve(app, options.solve, run);
    addSensitivity(app, options.sensitivity, run);
    addSearch(app, options.search, run);
}

} // namespace orrery
