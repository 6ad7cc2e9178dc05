// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.hpp"

#include "app/cli/command_line_mistake.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/common/command_parts.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/manual_command.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "core/exchange/launch/launch.hpp"
#include "resources/program_version.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>

namespace orrery {
namespace {

/// Everything a command line can hold. The parsed command leaves what it does in `run`; it runs after parsing, so
/// that its exceptions are not taken for mistakes of the command line.
struct Parsed {
    SimulateOptions simulate;
    MemoryOptions memory;
    ValidateOptions validate;
    AccuracyOptions accuracy;
    CalibrateOptions calibrate;
    CompareOptions compare;
    CollectiveOptions collective;
    LessonCheckOptions lesson;
    bool lessonKey = false;
    std::string lessonPage; ///< file
    ManualOptions manual;
    RecordScriptOptions recordScript;
    ReproduceOptions reproduce;
    ImportCommandOptions importing;
    LaunchCommandOptions launch;
    ListOptions list;
    OperatorsEvaluateOptions evaluate;
    OperatorsFitOptions fit;
    OperatorsImportOptions importTable;
    ExploreOptions explore;
    TraceOptions trace;
    bool json = false; ///< asked for before any command is known to have it
    std::function<int()> run;
};

void addMemoryCeiling(CLI::App& command, double& gigabytes) {
    constexpr double least = 0.01, most = 1e6;
    command.add_option("--memory-ceiling", gigabytes, "GB a simulation may be expected to need (4); a larger one is refused before it runs")->check(CLI::Range(least, most));
}

void addSimulate(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("simulate", "Simulate a scenario and report times, memory and utilisation");
    SimulateOptions& options = parsed.simulate;
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    addJson(command, options.json);
    command.add_option("--trace", options.traceFile, "Write the timeline as Chrome trace JSON, which Perfetto opens");
    command.add_option("--requests", options.requestsFile, "Write a row for each served request as CSV");
    command.add_flag("--explain", options.explain, "Say where the figures come from: formulas, inputs, sources");
    addThreads(command, options.threads, "1");
    addMemoryCeiling(command, options.memoryCeiling);
    command.callback([&parsed] { parsed.run = [&parsed] { return runSimulate(parsed.simulate); }; });
}

void addMemory(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("memory", "The memory account alone: what each stage keeps, and whether it fits");
    MemoryOptions& options = parsed.memory;
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    addJson(command, options.json);
    addMemoryCeiling(command, options.memoryCeiling);
    command.callback([&parsed] { parsed.run = [&parsed] { return runMemory(parsed.memory); }; });
}

void addValidate(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("validate", "Predict measured runs and report the errors");
    ValidateOptions& options = parsed.validate;
    command.add_option("CASES", options.cases, "Files of measured cases (orrery-cases/1)")->required();
    addJson(command, options.json);
    command.add_flag("--leave-out-group", options.leaveOutGroup, "Score each group with constants fitted without it");
    command.add_option("--evidence", options.evidenceFile, "Write the runs with what is predicted for them: what error bars are made of")->expected(1);
    takeMany(command.add_option("--settings", options.settings, "File of engine settings that are laid over the cases named in it; may be repeated"));
    takeMany(command.add_option("--left-out", options.leftOut, "With --evidence or --coverage: file that --leave-out-group --json printed; may be repeated"));
    command.add_flag("--coverage", options.coverage, "Judge error bars made of these runs, each on sources it was not made of");
    addThreads(command, options.threads, "all");
    addMemoryCeiling(command, options.memoryCeiling);
    command.callback([&parsed] { parsed.run = [&parsed] { return runValidate(parsed.validate); }; });
}

void addCalibrate(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("calibrate", "Fit constants to measured runs: all of the catalogue's, or those of one's own machine or server");
    CalibrateOptions& options = parsed.calibrate;
    command.add_option("CASES", options.cases, "Files of measured cases (orrery-cases/1), or results of vllm bench serve, SGLang's bench_serving, GenAI-Perf, AIPerf, GuideLLM or trtllm-bench, or what the script of record-script recorded")->required();
    command.add_option("--scenario", options.scenario, "Adjust the constants of this scenario's machine and framework alone, within their ranges");
    command.add_option("--launch", options.launch, "The launch line of the server that was measured, or a file that holds it");
    command.add_option("--accelerator", options.accelerator, "Catalogue id of the accelerator; with --launch an H100 unless given, of a recording by the name that the device gave itself");
    command.add_option("--out", options.out, "File to write: calibration.json of the catalogue, the scenario with its execution.calibration, or a profile (.orrery-profile.json) for execution.profile");
    command.add_flag("--ablate", options.ablate, "What each constant and each effect buys: everything else fitted without it");
    command.add_option("--prior-weight", options.priorWeight, "How firmly constants are held to what is expected (1e-4 unless given)")
        ->check(CLI::PositiveNumber);
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&parsed] { parsed.run = [&parsed] { return runCalibrate(parsed.calibrate); }; });
}

void addAccuracy(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("accuracy", "Errors of this version against the measured runs it knows, by accelerator, model and framework");
    command.add_option("--html", parsed.accuracy.html, "Write the tables, the runs behind each number and how well error bars cover as one HTML page")->expected(1);
    addJson(command, parsed.accuracy.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runAccuracy(parsed.accuracy); }; });
}

void addCompare(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("compare", "Where the difference between two scenarios, or two recorded traces, comes from; what a server's benchmark measured, beside the simulation");
    CompareOptions& options = parsed.compare;
    command.add_option("A", options.a, "Scenario, result that simulate --json printed, recorded trace, or folder with the traces of a job's ranks")->required();
    command.add_option("B", options.b, "The same")->required();
    command.add_option("--metric", options.metric, "Pointer into the result, or a name of A's measures; the time of an iteration, of a batch or of a request unless given");
    command.add_option("--communication", options.communication, "Of recorded traces: JSON file with rules of what counts as communication, as \"trace rules\" prints them (the shipped ones)");
    addJson(command, options.json);
    addMemoryCeiling(command, options.memoryCeiling);
    command.callback([&parsed] { parsed.run = [&parsed] { return runCompare(parsed.compare); }; });
}

void addCollective(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("collective", "One collective alone on a scenario's cluster");
    CollectiveOptions& options = parsed.collective;
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    command
        .add_option("--op", options.operation,
                    "all_reduce, all_gather, reduce_scatter, alltoall, sendrecv or broadcast, as nccl-tests names them")
        ->required();
    command.add_option("--bytes", options.bytes, "Message size as nccl-tests counts it")->required();
    command.add_option("--ranks", options.ranks, "Ranks that take part, such as 0-15 or 0,8,16; all unless given");
    addJson(command, options.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runCollective(parsed.collective); }; });
}

void addLesson(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("lesson", "The lessons, and whether a state passes one of their steps");
    command.require_subcommand(1);
    LessonCheckOptions& options = parsed.lesson;
    CLI::App& list = *command.add_subcommand("list", "The lessons that are shipped");
    addJson(list, options.json);
    list.callback([&parsed] { parsed.run = [&parsed] { return runLessonList(parsed.lesson.json); }; });
    CLI::App& check = *command.add_subcommand("check", "Whether a scenario passes a step; several scenarios: one CSV row each");
    check.add_option("LESSON", options.lesson, "Id or number of a lesson, or its file")->required();
    check.add_option("SCENARIO", options.scenarios, "Scenarios that learners ended with, or their answer sheets")->required();
    check.add_option("--step", options.step, "Step to judge by, from 1 (the last unless given); 0: all that are judged")->check(CLI::NonNegativeNumber);
    check.add_option("--answers", options.answers, "Answer sheet of the learner (orrery-answers/1)")->expected(1);
    addJson(check, options.json);
    check.callback([&parsed] { parsed.run = [&parsed] { return runLessonCheck(parsed.lesson); }; });
    CLI::App& print = *command.add_subcommand("print", "A lesson as a page to print (HTML)");
    print.add_option("LESSON", options.lesson, "Id or number of a lesson, or its file")->required();
    print.add_flag("--key", parsed.lessonKey, "With what passes, what wrong answers miss, and sources: for teachers");
    print.add_option("--out", parsed.lessonPage, "File to write; standard output unless given")->expected(1);
    print.callback([&parsed] { parsed.run = [&parsed] { return runLessonPrint(parsed.lesson.lesson, parsed.lessonKey, parsed.lessonPage); }; });
    CLI::App& play = *command.add_subcommand("play", "Plays a lesson's own ends, and says which end otherwise than it states");
    play.add_option("LESSON", options.lesson, "Id or number of a lesson, or its file")->required();
    addJson(play, options.json);
    play.callback([&parsed] { parsed.run = [&parsed] { return runLessonPlay(parsed.lesson.lesson, parsed.lesson.json); }; });
}

void addImport(CLI::App& app, Parsed& parsed) {
    CLI::App& command =
        *app.add_subcommand("import", "A Megatron-LM, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM command line or configuration as a scenario on standard output");
    ImportCommandOptions& options = parsed.importing;
    CLI::Option* file = command.add_option("FILE", options.text, "Launch script, command line, .toml, .json, .yaml or .py; or - for standard input");
    CLI::Option* flags = command.add_option("--flags", options.flagsOf, "A launcher (megatron-lm, megatron-bridge, torchtitan, deepspeed, vllm, sglang, tensorrt-llm, dynamo): which of its flags an import reads, ignores or refuses, as a table; FILE, if given, lists the flags");
    command.callback([&parsed, file, flags] {
        if (file->count() == 0 && flags->count() == 0) throw CLI::RequiredError("FILE");
        parsed.run = [&parsed] { return runImport(parsed.importing); };
    });
    command.add_option("--accelerator", options.accelerator, "Catalogue id of the accelerator; an H100 unless given");
    command.add_option("--model", options.model, "Catalogue id of the model, where the text names none");
    takeMany(command.add_option("--set", options.variables, "NAME=VALUE: a variable the script would find set; may be repeated"));
    addJson(command, options.json);
}

void addLaunch(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("launch", "The command that starts a scenario's training or server with a program");
    LaunchCommandOptions& options = parsed.launch;
    command.add_option("SCENARIO", options.scenario, "Scenario file, or - for standard input")->required();
    command.add_option("--for", options.tool, "megatron-lm, megatron-bridge, torchtitan, vllm, sglang or trtllm")->required()->check(CLI::IsMember(launchToolWords()));
    addJson(command, options.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runLaunch(parsed.launch); }; });
}

void addList(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("list", "What the catalogues hold, with sources");
    ListOptions& options = parsed.list;
    command.add_option("WHAT", options.what, "models, accelerators, platforms or frameworks")
        ->required()
        ->check(CLI::IsMember({"models", "accelerators", "platforms", "frameworks"}));
    addJson(command, options.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runList(parsed.list); }; });
}

void addOperatorsEvaluate(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("evaluate", "How far predicted operator times are from tables of measured ones");
    OperatorsEvaluateOptions& options = parsed.evaluate;
    command.add_option("DIR", options.folder, "Folder of SYSTEM/OPERATOR.csv or .csv.gz")->required();
    command.add_option("--predictor", options.predictor, "A file that \"operators fit\" wrote; the shipped one unless given");
    command.add_option("--left-out", options.leftOut, "Fit without these rows first, and judge on them: weight and head shapes, the largest lengths, or one system at a time")
        ->check(CLI::IsMember({"shapes", "lengths", "system"}))
        ->excludes("--predictor");
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&parsed] { parsed.run = [&parsed] { return runOperatorsEvaluate(parsed.evaluate); }; });
}

void addOperatorsFit(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("fit", "Make a predictor from tables of measured operator times");
    OperatorsFitOptions& options = parsed.fit;
    command.add_option("DIR", options.folder, "Folder of SYSTEM/OPERATOR.csv or .csv.gz")->required();
    command.add_option("--out", options.out, "File to write")->required();
    command.add_flag("--left-out", options.leaveOut, "Also fit without some shapes, sizes and systems and print the errors on those");
    addJson(command, options.json);
    addThreads(command, options.threads, "all");
    command.callback([&parsed] { parsed.run = [&parsed] { return runOperatorsFit(parsed.fit); }; });
}

void addOperatorsImport(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("import", "Keep operator times you measured; they count before any prediction");
    OperatorsImportOptions& options = parsed.importTable;
    command.add_option("CSV", options.file, "Table in the columns of the reference tables")->required();
    command.add_option("--accelerator", options.accelerator, "Catalogue id; by the name of the file's folder unless given");
    command.add_option("--operator", options.kind, "Such as gemm; by the file's name or columns unless given");
    addJson(command, options.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runOperatorsImport(parsed.importTable); }; });
}

void addOperators(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("operators", "Times of single operators: judge, make and add to what predicts them");
    command.require_subcommand(1);
    addOperatorsEvaluate(command, parsed);
    addOperatorsFit(command, parsed);
    addOperatorsImport(command, parsed);
}

void addSchema(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("schema", "Print the JSON Schema of scenario files");
    addJson(command, parsed.json); // it is JSON either way
    command.callback([&parsed] { parsed.run = runSchema; });
}

void addRecordScript(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("record-script", "A Python script that needs torch and nothing else: it measures this machine for calibrate, which makes a profile of it");
    command.add_option("--out", parsed.recordScript.out, "File to write; standard output unless given");
    addJson(command, parsed.recordScript.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runRecordScript(parsed.recordScript); }; });
}

void addReproduce(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("reproduce", "Simulate the scenario in a report again; exit status 0 when its figures come out again");
    command.add_option("REPORT", parsed.reproduce.report, "A report as orrery writes it: .html, .md or .pdf")->required();
    addJson(command, parsed.reproduce.json);
    command.callback([&parsed] { parsed.run = [&parsed] { return runReproduce(parsed.reproduce); }; });
}

void addManual(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("manual", "Print a page of the manual, or what it says of a key or a figure");
    addManualOptions(command, parsed.manual);
    command.callback([&] { parsed.run = [&] { return runManual(parsed.manual, app); }; });
}

void addServeMcp(CLI::App& app, Parsed& parsed) {
    CLI::App& command = *app.add_subcommand("serve-mcp", "Answer other programs and agents over the Model Context Protocol on standard input and output: one JSON message a line, no network");
    command.callback([&parsed] { parsed.run = [] { return runServeMcp(std::string(programVersion().version)); }; });
}

/// An empty text names no file and no id: said at once, not taken for an option that was left out.
void refuseEmptyValues(CLI::App& app) {
    const CLI::Validator notEmpty([](std::string& value) { return value.empty() ? std::string("must not be empty") : std::string(); }, "");
    for (CLI::Option* option : app.get_options([](const CLI::Option* one) { return one->get_items_expected_max() > 0; })) option->check(notEmpty);
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) refuseEmptyValues(*command);
}

} // namespace

bool asksForJson(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json") return true;
    }
    return false;
}

int runCommandLine(int argc, const char* const* argv) {
    CLI::App app("Simulates GPU clusters that train and serve large language models.", "orrery-cli");
    app.set_version_flag("--version", "orrery-cli " + versionWords());
    app.require_subcommand(1);
    Parsed parsed;
    parsed.json = asksForJson(argc, argv);
    addSimulate(app, parsed);
    addMemory(app, parsed);
    addValidate(app, parsed);
    addCalibrate(app, parsed);
    addAccuracy(app, parsed);
    addCompare(app, parsed);
    addExploreCommands(app, parsed.explore, parsed.run);
    addCollective(app, parsed);
    addLesson(app, parsed);
    addImport(app, parsed);
    addLaunch(app, parsed);
    addList(app, parsed);
    addOperators(app, parsed);
    addSchema(app, parsed);
    addTraceCommands(app, parsed.trace, parsed.run);
    addRecordScript(app, parsed);
    addReproduce(app, parsed);
    addManual(app, parsed);
    addServeMcp(app, parsed);
    refuseEmptyValues(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return app.exit(asked); // --help, --version
    } catch (const CLI::ParseError& error) {
        return refuse(commandLineMistake(app, argc, argv, error), parsed.json);
    }
    return parsed.run();
}

} // namespace orrery
