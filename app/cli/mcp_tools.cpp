// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/mcp/mcp_server.hpp"
#include "app/cli/mcp_tool_parts.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/made_by.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/simulation/estimated_result.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <utility>
#include <vector>

namespace orrery {
namespace {

using schema::field;
using schema::integer;
using schema::number;
using schema::object;
using schema::required;
using schema::text;
using schema::word;

constexpr const char* scenarioWords = "A scenario: the document itself (see scenario_schema), the path of its file (FILE#NAME for a variant), or a text that begins with \"orrery:\".";
constexpr double mostSeconds = 1e6;

Field detailField() { return field("detail", word({"headline", "full"}), "How much of the result: without long lists, or all of it.", "headline"); }

/// Shortens lists that nobody reads at a glance, and says at which pointers how many entries they had.
void shortenLists(Json& value, const std::string& pointer, Json& omitted) {
    constexpr std::size_t longest = 8;
    if (value.is_array() && value.size() > longest) {
        omitted[pointer] = value.size();
        value.erase(value.begin() + longest, value.end());
    }
    if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::string element = pointer;
            element.append("/").append(std::to_string(i));
            shortenLists(value[i], element, omitted);
        }
    } else if (value.is_object()) {
        for (auto& [key, member] : value.items())
            if (key != "parts") shortenLists(member, std::string(pointer).append("/").append(key), omitted); // parts sum to something
    }
}

ToolAnswer withDetail(ToolAnswer answer, const ToolArguments& arguments) {
    if (answer.isError || arguments.text("detail") == "full") return answer;
    Json document = *answer.document, omitted = Json::object();
    shortenLists(document, "", omitted);
    if (!omitted.empty()) document["shortened_lists"] = std::move(omitted);
    answer.document = std::move(document);
    return answer;
}

ToolAnswer runSimulateTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    SimulateOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(answerOf(arguments, [&] { return runSimulate(options); }), arguments);
}

Json estimateDocument(const Result& result) {
    const TrainingMetrics& metrics = *result.training();
    return {{"format", "orrery-estimate/1"}, {"method", "estimate"}, {"kind", "training"}, {"iteration_time_s", metrics.iterationTime}, {"tokens_per_s", metrics.tokensPerSecond}, {"tokens_per_s_per_accelerator", metrics.tokensPerSecondPerAccelerator}, {"memory", {{"capacity_bytes", result.memory.capacityBytes}, {"peak_bytes", result.memory.peakBytes}}}, {"fits", result.fits}};
}

ToolAnswer runEstimateTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    const std::string path = arguments.input("scenario", problems);
    if (hasErrors(problems)) return problemsAnswer(problems);
    const Catalog catalog = userCatalog(problems);
    const ScenarioReading reading = loadScenario(path, catalog);
    if (!reading.scenario || hasErrors(reading.problems)) return problemsAnswer(reading.problems);
    if (const ResultPtr result = estimatedResult(*reading.scenario); result && result->training()) return {withMaker(estimateDocument(*result)), "", false};
    // Other work has no estimate; its simulation takes no longer than one needs to wait.
    ToolAnswer simulated = runSimulateTool({{"scenario", given.at("scenario")}});
    if (simulated.isError) return simulated;
    Json document = *simulated.document;
    document["method"] = "simulation";
    simulated.document = std::move(document);
    return simulated;
}

ToolAnswer runPlanTool(const Json& given) {
    const ToolArguments arguments(given);
    PlanCommandOptions options;
    options.model = arguments.text("model");
    options.machine = arguments.text("machine");
    options.margin = arguments.text("margin");
    options.network = arguments.text("network");
    options.framework = arguments.text("framework");
    options.precision = arguments.text("precision");
    options.json = true;
    if (const auto train = given.find("train"); train != given.end()) {
        const ToolArguments asked(*train);
        options.train = true;
        options.sequence = asked.whole("sequence", 0);
        options.batch = asked.whole("batch", 0);
    }
    if (const auto serve = given.find("serve"); serve != given.end()) {
        const ToolArguments asked(*serve);
        options.serve = true;
        options.rate = asked.number("rate", 0);
        options.input = asked.whole("input", options.input);
        options.output = asked.whole("output", options.output);
        options.ttft = asked.number("ttft", 0);
        options.tpot = asked.number("tpot", 0);
    }
    return withDetail(answerOf(arguments, [&] { return runPlanCommand(options); }), arguments);
}

ToolAnswer runSearchTool(const Json& given) {
    Json document = given;
    if (const auto search = document.find("search"); search != document.end()) {
        if (!document["scenario"].is_object()) {
            Problem problem;
            problem.code = "conflicting-keys";
            problem.pointer = "/search";
            problem.message = "\"search\" stands beside a scenario that is a file's.";
            problem.mend = "Write it into the file, or give the scenario's document.";
            return problemsAnswer({std::move(problem)});
        }
        document["scenario"]["search"] = *search;
    }
    ToolArguments arguments(document);
    Problems problems;
    SearchCommandOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.most = arguments.number("most", options.most);
    options.exhaustive = arguments.flag("exhaustive");
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(answerOf(arguments, [&] { return runSearchCommand(options); }), arguments);
}

ToolAnswer runCompareTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    CompareOptions options;
    options.a = arguments.input("a", problems);
    options.b = arguments.input("b", problems);
    options.metric = arguments.text("metric");
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(answerOf(arguments, [&] { return runCompare(options); }), arguments);
}

ToolAnswer runExplainTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    SimulateOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.explain = options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    ToolAnswer answer = answerOf(arguments, [&] { return runSimulate(options); });
    if (answer.isError) return answer;
    const Json& all = answer.document->at("explanations");
    Json chosen = Json::object();
    const Json wanted = given.value("pointers", Json::array());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto pointer = wanted[i].get<std::string>();
        if (const auto found = all.find(pointer); found != all.end()) {
            chosen[pointer] = *found;
            continue;
        }
        std::vector<std::string> known;
        for (const auto& [name, explanation] : all.items()) known.push_back(name);
        const auto nearest = nearestWord(pointer, known);
        Problem problem;
        problem.code = "no-explanation";
        problem.pointer = "/pointers/" + std::to_string(i);
        problem.message = "The result has no explained figure at " + inQuotes(shortened(pointer, 200)) + ".";
        problem.mend = nearest ? "The nearest is " + inQuotes(nearest->word) + "; without \"pointers\" all are given." : "Leave \"pointers\" out: all are given.";
        problems.push_back(std::move(problem));
    }
    if (hasErrors(problems)) return problemsAnswer(problems);
    answer.document = Json{{"format", "orrery-explanations/1"}, {"made_by", madeBy()}, {"name", answer.document->value("name", Json())}, {"causes", answer.document->value("causes", Json::array())}, {"explanations", wanted.empty() ? all : chosen}};
    return answer;
}

ToolAnswer runImportTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    ImportCommandOptions options;
    const bool isText = given.contains("text");
    if (isText == given.contains("file")) {
        Problem problem;
        problem.code = isText ? "conflicting-keys" : "missing-key";
        problem.message = isText ? "Both \"text\" and \"file\" are there." : "Neither \"text\" nor \"file\" is there.";
        problem.mend = "Give the launch's text, or the path of its file.";
        return problemsAnswer({std::move(problem)});
    }
    if (isText) options.content = arguments.text("text");
    else options.text = arguments.input("file", problems);
    options.accelerator = arguments.text("accelerator");
    options.model = arguments.text("model");
    const Json variables = given.value("variables", Json::object());
    for (const auto& [name, value] : variables.items()) options.variables.push_back(name + "=" + value.get<std::string>());
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return answerOf(arguments, [&] { return runImport(options); });
}

ToolAnswer runLaunchTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    LaunchCommandOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.tool = arguments.text("for");
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return answerOf(arguments, [&] { return runLaunch(options); });
}

const char* wordOf(Severity severity) { return severity == Severity::error ? "error" : severity == Severity::warning ? "warning"
                                                                                                                     : "note"; }

Json problemDocument(const Problem& problem) {
    Json one{{"severity", wordOf(problem.severity)}, {"code", problem.code}, {"pointer", problem.pointer}, {"message", problem.message}, {"mend", problem.mend}};
    for (const ScenarioEdit& edit : problem.edits) one["edits"].push_back({{"pointer", edit.pointer}, {"value", *edit.value}});
    return one;
}

ToolAnswer runValidateTool(const Json& given) {
    ToolArguments arguments(given);
    Problems problems;
    const std::string path = arguments.input("scenario", problems);
    if (hasErrors(problems)) return problemsAnswer(problems);
    const Catalog catalog = userCatalog(problems);
    const ScenarioReading reading = loadScenario(path, catalog);
    Json list = Json::array();
    for (const Problem& problem : reading.problems) list.push_back(problemDocument(problem));
    return {Json{{"format", "orrery-check/1"}, {"valid", reading.scenario.has_value() && !hasErrors(reading.problems)}, {"problems", std::move(list)}}, "", false};
}

/// Whether an entry's id or name has the word in it, whatever the case of its letters.
bool isCalled(const Json& entry, const std::string& word) {
    const auto small = [](std::string text) {
        text = lowered(std::move(text));
        return text;
    };
    return small(entry.value("id", "") + " " + entry.value("name", "")).find(small(word)) != std::string::npos;
}

ToolAnswer runListTool(const Json& given) {
    const ToolArguments arguments(given);
    ListOptions options{arguments.text("what"), true};
    ToolAnswer answer = answerOf(arguments, [&] { return runList(options); });
    if (answer.isError) return answer;
    Json document = *answer.document, chosen = Json::array();
    for (const Json& entry : document.at(options.what)) {
        if (!isCalled(entry, arguments.text("match"))) continue;
        if (arguments.text("detail") == "full") chosen.push_back(entry);
        else chosen.push_back({{"id", entry.value("id", "")}, {"name", entry.value("name", "")}});
    }
    document[options.what] = std::move(chosen);
    answer.document = std::move(document);
    return answer;
}

ToolAnswer runSchemaTool(const Json& given) {
    const Json schema = scenarioSchema();
    const std::string section = ToolArguments(given).text("section");
    if (section.empty()) return {schema, "", false};
    Json part = schema.at("properties").at(section);
    return {std::move(part), "", false};
}

std::vector<std::string> schemaSections() {
    std::vector<std::string> sections;
    const Json schema = scenarioSchema();
    for (const auto& [key, part] : schema.at("properties").items()) sections.push_back(key);
    return sections;
}

Shape planArguments() {
    return object({
        required("model", text(), "Catalogue id (list models), path of a config.json or its folder, or a model of Hugging Face's cache as ORG/NAME."),
        required("machine", text(), "NxPLATFORM, such as 32xdgx-h100 (list platforms)."),
        field("train", object({field("sequence", integer(0, schema::mostTokens), "Tokens of a sequence; 0: the usual."), field("batch", integer(0, schema::mostSequences), "Sequences of a step; 0: the usual.")}), "Plan a training; also where neither is given."),
        field("serve", object({field("rate", number(0, 1e9), "Requests/s; 0: as many as there can be."), field("input", integer(1, schema::mostTokens), "Tokens of a prompt.", 1024), field("output", integer(1, schema::mostTokens), "Tokens of an answer.", 256), field("ttft", number(0, mostSeconds), "Limit of the time to the first token, s; 0: none."), field("tpot", number(0, mostSeconds), "Limit of the time per token, s; 0: none.")}), "Plan a service."),
        field("margin", text(), "Share of the memory to leave free, as 5% or 0.05; by the error of the memory account unless given."),
        field("network", text(), "Bandwidth of an accelerator's network, as 800Gb/s or 100GB/s; the platform's unless given."),
        field("framework", text(), "Profile id (list frameworks)."),
        field("precision", text(), "bf16, fp16, fp8, mxfp8, nvfp4, …"),
        detailField(),
    });
}

Shape importArguments() {
    return object({
        field("text", text(), "The launch: a shell script, a command line, or a configuration (TOML, JSON, YAML)."),
        field("file", text(), "Path of its file, instead of the text."),
        field("accelerator", text(), "Catalogue id of the accelerator; an H100 unless given."),
        field("model", text(), "Catalogue id of the model, where the launch names none."),
        field("variables", schema::map(text()), "Variables that the script would find set."),
    });
}

Shape searchArguments() {
    Shape space = object({});
    space.open = true;
    return object({
        required("scenario", scenarioArgument(), scenarioWords),
        field("search", std::move(space), "What to search, in place of the scenario's own: {\"vary\": {POINTER: [values]}, \"objective\": {\"minimize\" or \"maximize\": RESULT POINTER}, \"constraints\": [{\"pointer\", \"op\", \"value\"}]}."),
        field("most", number(1, 1e9), "Combinations that are allowed; more are refused before the first.", 2'000'000),
        field("exhaustive", schema::boolean(), "Simulate every combination that is a scenario.", false),
        detailField(),
    });
}

/// What `serve-mcp` offers: the verbs of the command line, with the same documents as their --json.
std::vector<McpTool> mcpTools() {
    const auto ofScenario = [](std::vector<Field> more = {}) {
        std::vector<Field> fields{required("scenario", scenarioArgument(), scenarioWords)};
        fields.insert(fields.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        return object(std::move(fields));
    };
    const Shape side = scenarioArgument();
    return {
        {"plan", "Find the best plan", "The best way to train or serve a model on a machine, two others that differ, why each, how sure the order is, whether it fits, and the command that starts it.", planArguments(), runPlanTool},
        {"simulate", "Simulate a scenario", "Time, rates, memory and their causes of a training iteration, a static batch or a served load. A scenario that does not fit the memory has fits: false and changes that would make it fit.", ofScenario({detailField()}), runSimulateTool},
        {"estimate", "Estimate a scenario", "Time and peak memory of a training iteration in milliseconds, a few percent from the simulation's; other work is simulated.", ofScenario(), runEstimateTool},
        {"search", "Search a space of plans", "The best combinations of values of some keys, the Pareto front, and which rule ruled out how many.", searchArguments(), runSearchTool},
        {"compare", "Compare", "Where the difference between A and B comes from, in parts that sum to it: two scenarios or saved results, or two recorded traces (files or folders of ranks).", object({required("a", side, std::string("A. ") + scenarioWords + " Or the path of a recorded trace, or of a folder with the traces of a job's ranks."), required("b", side, "The same."), field("metric", text(), "Of scenarios: pointer into the result; the time of an iteration, of a batch or of a request unless given."), detailField()}), runCompareTool},
        {"explain", "Explain figures", "Formula, inputs and sources of the figures of a scenario's result, and the causes of its time.", ofScenario({field("pointers", schema::list(text()), "Pointers into the result, such as /iteration_time_s; all figures unless given.")}), runExplainTool},
        {"validate_input", "Check a scenario", "What is wrong with a scenario: each problem with a JSON pointer, a mend in words and, where there is one, as edits.", ofScenario(), runValidateTool},
        {"import_launch", "Import a launch", "A Megatron-LM, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM launch as a scenario, and what of it was not understood.", importArguments(), runImportTool},
        {"launch", "Write a launch", "The command that starts a scenario's training or server.", ofScenario({required("for", word(launchToolWords()), "The program.")}), runLaunchTool},
        {"list", "List the catalogue", "Models, accelerators, platforms or framework profiles that a scenario can name, with sources.", object({required("what", word({"models", "accelerators", "platforms", "frameworks"}), "Which of the catalogues."), field("match", text(), "A part of the id or name; all unless given."), field("detail", word({"names", "full"}), "Ids and names, or entries as they are.", "names")}), runListTool},
        {"scenario_schema", "Schema of scenarios", "The JSON Schema of a scenario document, or of one of its sections.", object({field("section", word(schemaSections()), "One key of the document; all of it unless given.")}), runSchemaTool},
    };
}

} // namespace

int runServeMcp(const std::string& version) {
    // Tools keep what commands print from standard output, which belongs to the protocol.
    std::ostream answers(std::cout.rdbuf());
    McpServer(version, mcpTools()).serve(std::cin, answers);
    return exit_done;
}

} // namespace orrery
