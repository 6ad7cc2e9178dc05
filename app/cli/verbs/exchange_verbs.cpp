// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs/verb_answers.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/cli/verbs/verb_arguments.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/schema_document.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Whether an entry's id or name has the word in it, whatever the case of its letters.
bool isCalled(const Json& entry, const std::string& word) {
    return lowered(entry.value("id", "") + " " + entry.value("name", "")).find(lowered(word)) != std::string::npos;
}

Problem missing(const std::string& key, const std::string& what) {
    Problem problem;
    problem.code = "missing-key";
    problem.message = "\"" + what + "\" wants \"" + key + "\".";
    problem.mend = key == "files" ? "Give the paths of the recorded traces." : "Give the scenario as \"scenario\".";
    return problem;
}

} // namespace

VerbAnswer answerImport(const Json& given) {
    VerbArguments arguments(given);
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
    return printedBy(arguments, [&] { return runImport(options); });
}

VerbAnswer answerLaunch(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    LaunchCommandOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.tool = arguments.text("for");
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return printedBy(arguments, [&] { return runLaunch(options); });
}

VerbAnswer answerList(const Json& given) {
    const VerbArguments arguments(given);
    ListOptions options{arguments.text("what"), true};
    VerbAnswer answer = printedBy(arguments, [&] { return runList(options); });
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

VerbAnswer answerSchema(const Json& given) {
    const Json schema = scenarioSchema();
    const std::string section = VerbArguments(given).text("section");
    if (section.empty()) return {schema, "", false};
    Json part = schema.at("properties").at(section);
    return {std::move(part), "", false};
}

VerbAnswer answerTraces(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    const std::vector<std::string> files = arguments.files("files", problems);
    const std::string what = given.value("what", "info"), scenario = arguments.input("scenario", problems);
    const bool ofScenario = what == "plan" || what == "hybrid" || what == "beside", ofFiles = what != "plan" && what != "hybrid";
    if (ofScenario && scenario.empty() && problems.empty()) problems.push_back(missing("scenario", what));
    if (ofFiles && files.empty() && problems.empty()) problems.push_back(missing("files", what));
    if (hasErrors(problems)) return problemsAnswer(problems);
    TraceScenarioOptions job;
    job.files = files;
    job.job.accelerator = arguments.text("accelerator");
    job.job.model = arguments.text("model");
    job.json = true;
    const std::map<std::string, std::function<int()>> commands{
        {"info", [&] { return runTraceInfo({files, "", true}); }},
        {"replay", [&] { return runTraceReplay({files, "", std::nullopt, true}); }},
        {"flight", [&] { return runTraceFlight({files, true}); }},
        {"scenario", [&] { return runTraceScenario(job); }},
        {"beside", [&] { return runTraceBeside({scenario, files.front(), "", true}); }},
        {"hybrid", [&] { return runTraceHybrid({scenario, true}); }},
        {"plan", [&] { return runTracePlan({scenario, true}); }},
    };
    return withDetail(printedBy(arguments, commands.at(what)), arguments);
}

} // namespace orrery
