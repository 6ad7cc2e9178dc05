// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/command_parts.hpp"
#include "app/cli/trace/trace_commands.hpp"

#include <CLI/CLI.hpp>

namespace orrery {
namespace {

void addCommunication(CLI::App& command, std::string& file) {
    command.add_option("--communication", file, "JSON file with rules of what counts as communication, as \"trace rules\" prints them; - for standard input (the shipped ones)");
}

void addInfo(CLI::App& trace, TraceInfoOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("info", "Events, kernels, streams and times of recorded traces");
    command.add_option("FILE", options.files, "Kineto or execution traces, exports of Nsight Systems, memory snapshots; plain or packed with gzip")->required();
    addCommunication(command, options.communication);
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceInfo(options); }; });
}

void addPlan(CLI::App& trace, TracePlanOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("plan", "Which ranks to record so that every class has one, with a profiler snippet");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTracePlan(options); }; });
}

void addReplay(CLI::App& trace, TraceReplayOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("replay", "Replay recorded ranks together: who waits for whom, and what leaving one out would cost");
    command.add_option("FILE", options.files, "Kineto traces or exports of Nsight Systems of the ranks of one job, as FILE or RANK=FILE")->required();
    command.add_option("--vram", options.vram, "Bytes of a device: name the event that goes beyond it")->check(CLI::PositiveNumber);
    addCommunication(command, options.communication);
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceReplay(options); }; });
}

void addHybrid(CLI::App& trace, TraceHybridOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("hybrid", "Run a scenario with its \"hybrid\": recorded ranks, and others in their likeness");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceHybrid(options); }; });
}

void addSimulate(CLI::App& trace, TraceSimulateOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("simulate", "Simulate every rank by itself, and write what a profiler would have recorded of it");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    command.add_option("--out", options.folder, "Folder for rank0.json and so on")->required();
    command.add_option("--ranks", options.ranks, "Ranks to write, as 0-3,17 (all)");
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceSimulate(options); }; });
}

void addExport(CLI::App& trace, TraceExportOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("export", "Write a recorded or simulated timeline as Chrome trace JSON, for Perfetto, or as an SQLite database, for queries");
    command.add_option("FILE", options.file, "Kineto trace, export of Nsight Systems or memory snapshot, plain or packed with gzip; a folder with the traces of a job's ranks; or a scenario")->required();
    const CLI::Option* out = command.add_option("--out", options.out, "File to write as Chrome trace JSON");
    const CLI::Option* sqlite = command.add_option("--sqlite", options.sqlite, "Database to write: lanes, streams, operations, events, gaps, calls of the host, memory, links, all figures, and views of what is asked for most; its schema says what each column means");
    addCommunication(command, options.communication);
    command.callback([&options, &run, out, sqlite] {
        if (out->count() == 0 && sqlite->count() == 0) throw CLI::RequiredError("--out or --sqlite");
        run = [&options] { return runTraceExport(options); };
    });
}

void addBeside(CLI::App& trace, TraceBesideOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("beside", "A simulated training beside the record of one of its ranks: errors by class of operators, and a calibration");
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    command.add_option("FILE", options.file, "Kineto trace or export of Nsight Systems")->required();
    addCommunication(command, options.communication);
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceBeside(options); }; });
}

void addScenario(CLI::App& trace, TraceScenarioOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("scenario", "The scenario of a recorded job, on standard output: its machine, ranks and model as far as the record proves them");
    command.add_option("FILE", options.files, "Kineto traces or exports of Nsight Systems of ranks of one job, as FILE or RANK=FILE; the model is read from the first, several stand in the scenario's hybrid")->required();
    TracedJobOptions& job = options.job;
    command.add_option("--accelerator", job.accelerator, "Catalogue id, where the record's device doesn't say it");
    command.add_option("--model", job.model, "Catalogue id of the model, instead of what the shapes prove");
    command.add_option("--world", job.world, "Ranks of the job");
    command.add_option("--rank", job.rank, "Which of them the first record is of");
    command.add_option("--per-node", job.perNode, "Accelerators of one machine");
    command.add_option("--tensor", job.tensor, "Ranks that share out a layer");
    command.add_option("--pipeline", job.pipeline, "Stages");
    command.add_option("--context", job.context, "Ranks that share out a sequence");
    command.add_option("--expert", job.expert, "Ranks that share out a layer's experts");
    command.add_option("--sequence-length", job.sequenceLength, "Tokens of a sequence");
    command.add_option("--micro-batch-size", job.microBatchSize, "Sequences of one forward");
    command.add_option("--micro-batches", job.microBatches, "Forwards of one step");
    command.add_flag("--graph", job.graph, "Run the graph as it was recorded, even where the model is proven");
    addCommunication(command, options.communication);
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceScenario(options); }; });
}

void addFlight(CLI::App& trace, TraceFlightOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("flight", "Why a job stands still, by the dumps of PyTorch's flight recorder: who is in which collective, who is missing, who calls something else");
    command.add_option("FILE", options.files, "Dumps (nccl_trace_rank_N), as FILE or RANK=FILE, or a folder of them; pickles or JSON")->required();
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceFlight(options); }; });
}

void addLive(CLI::App& trace, TraceLiveOptions& options, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("live", "Run a PyTorch program, as it is, as some ranks of a larger job (hybrid emulation on the CPU); orrery-run is short for it");
    command.add_option("COMMAND", options.command, "The program and its arguments, after --")->required();
    command.add_option("--world", options.worlds, "Ranks of the job; several, as 64,1024,8192: a run each, and what changes")->required();
    command.add_option("--real", options.real, "Ranks that run the program, as 0,1025; all others are virtual (all)");
    command.add_option("--scenario", options.scenario, "Scenario whose cluster carries the collectives (none: they take no time)");
    command.add_option("--record", options.recordFolder, "Folder to write what each real rank did to, for --records");
    command.add_option("--records", options.recordsFolder, "Folder with records of an earlier run: their ranks stand for virtual ones that do the same work");
    command.add_option("--content", options.content, "Numbers from virtual ranks: the rank's own share, or zeros (share)")->check(CLI::IsMember({"share", "zeros"}));
    command.add_option("--objects", options.objects, "Objects from virtual ranks: an error, or the rank's own bytes (refuse)")->check(CLI::IsMember({"refuse", "own"}));
    command.add_option("--seed", options.seed, "Of the noise on what virtual ranks send (1)");
    command.add_option("--compute-scale", options.computeScale, "Times the CPU time of the program between its collectives (1)")->check(CLI::PositiveNumber);
    command.add_option("--memory", options.memory, "Bytes of tensors that a rank may hold; the allocation beyond fails in its line")->check(CLI::PositiveNumber);
    command.add_flag("--cuda-on-cpu", options.cudaOnCpu, "Programs that name CUDA devices get the CPU in their place");
    command.add_option("--patience", options.patience, "Seconds that a rank which others wait for may stand still (4)")->check(CLI::PositiveNumber);
    command.add_option("--trace", options.trace, "File to write the run to as Chrome trace JSON, for Perfetto");
    addJson(command, options.json);
    command.callback([&options, &run] { run = [&options] { return runTraceLive(options); }; });
}

void addRules(CLI::App& trace, std::function<int()>& run) {
    CLI::App& command = *trace.add_subcommand("rules", "The rules of what counts as communication in a record, as JSON to be edited: the first that matches a kernel's name decides");
    command.callback([&run] { run = [] { return runTraceRules(); }; });
}

} // namespace

void addTraceCommands(CLI::App& app, TraceOptions& options, std::function<int()>& run) {
    CLI::App& trace = *app.add_subcommand("trace", "Recorded traces: what is in them, which to record, their replay");
    trace.require_subcommand(1);
    addInfo(trace, options.info, run);
    addPlan(trace, options.plan, run);
    addReplay(trace, options.replay, run);
    addHybrid(trace, options.hybrid, run);
    addSimulate(trace, options.simulate, run);
    addExport(trace, options.exported, run);
    addBeside(trace, options.beside, run);
    addScenario(trace, options.scenario, run);
    addFlight(trace, options.flight, run);
    addLive(trace, options.live, run);
    addRules(trace, run);
}

} // namespace orrery
