// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs/verb_answers.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/verbs/prepared_estimates.hpp"
#include "app/cli/verbs/verb_arguments.hpp"
#include "app/common/made_by.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"

#include <utility>
#include <vector>

namespace orrery {
namespace {

const char* wordOf(Severity severity) { return severity == Severity::error ? "error" : severity == Severity::warning ? "warning"
                                                                                                                     : "note"; }

Json problemDocument(const Problem& problem) {
    Json one{{"severity", wordOf(problem.severity)}, {"code", problem.code}, {"pointer", problem.pointer}, {"message", problem.message}, {"mend", problem.mend}};
    for (const ScenarioEdit& edit : problem.edits) one["edits"].push_back({{"pointer", edit.pointer}, {"value", *edit.value}});
    return one;
}

} // namespace

VerbAnswer answerSimulate(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    SimulateOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(printedBy(arguments, [&] { return runSimulate(options); }), arguments);
}

VerbAnswer answerEstimate(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    const std::string path = arguments.input("scenario", problems);
    if (hasErrors(problems)) return problemsAnswer(problems);
    const auto estimates = PreparedEstimates::of(path, problems);
    if (!estimates) return problemsAnswer(problems);
    if (auto estimate = estimates->at({}, problems)) return {withMaker(std::move(*estimate)), "", false};
    // Other work has no estimate; its simulation takes no longer than one needs to wait.
    VerbAnswer simulated = answerSimulate(given);
    if (simulated.isError) return simulated;
    Json document = *simulated.document;
    document["method"] = "simulation";
    simulated.document = std::move(document);
    return simulated;
}

VerbAnswer answerPlan(const Json& given) {
    const VerbArguments arguments(given);
    PlanCommandOptions options;
    options.model = arguments.text("model");
    options.machine = arguments.text("machine");
    options.margin = arguments.text("margin");
    options.network = arguments.text("network");
    options.framework = arguments.text("framework");
    options.precision = arguments.text("precision");
    options.json = true;
    if (const auto train = given.find("train"); train != given.end()) {
        const VerbArguments asked(*train);
        options.train = true;
        options.sequence = asked.whole("sequence", 0);
        options.batch = asked.whole("batch", 0);
    }
    if (const auto serve = given.find("serve"); serve != given.end()) {
        const VerbArguments asked(*serve);
        options.serve = true;
        options.rate = asked.number("rate", 0);
        options.input = asked.whole("input", options.input);
        options.output = asked.whole("output", options.output);
        options.ttft = asked.number("ttft", 0);
        options.tpot = asked.number("tpot", 0);
    }
    return withDetail(printedBy(arguments, [&] { return runPlanCommand(options); }), arguments);
}

VerbAnswer answerSearch(const Json& given) {
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
    VerbArguments arguments(document);
    Problems problems;
    SearchCommandOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.most = arguments.number("most", options.most);
    options.exhaustive = arguments.flag("exhaustive");
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(printedBy(arguments, [&] { return runSearchCommand(options); }), arguments);
}

VerbAnswer answerSweep(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    SweepOptions options;
    options.scenario = arguments.input("scenario", problems);
    for (const auto& [pointer, values] : given.at("vary").items()) options.varied.emplace_back(pointer, values);
    const Json metrics = given.value("metrics", Json::array());
    for (const Json& metric : metrics) options.metrics.push_back(metric.get<std::string>());
    options.most = arguments.number("most", options.most);
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(printedBy(arguments, [&] { return runSweepCommand(options); }), arguments);
}

VerbAnswer answerCompare(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    CompareOptions options;
    options.a = arguments.input("a", problems);
    options.b = arguments.input("b", problems);
    options.metric = arguments.text("metric");
    options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    return withDetail(printedBy(arguments, [&] { return runCompare(options); }), arguments);
}

VerbAnswer answerExplain(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    SimulateOptions options;
    options.scenario = arguments.input("scenario", problems);
    options.explain = options.json = true;
    if (hasErrors(problems)) return problemsAnswer(problems);
    VerbAnswer answer = printedBy(arguments, [&] { return runSimulate(options); });
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

VerbAnswer answerValidate(const Json& given) {
    VerbArguments arguments(given);
    Problems problems;
    const std::string path = arguments.input("scenario", problems);
    if (hasErrors(problems)) return problemsAnswer(problems);
    const Catalog catalog = userCatalog(problems);
    const ScenarioReading reading = loadScenario(path, catalog);
    Json list = Json::array();
    for (const Problem& problem : reading.problems) list.push_back(problemDocument(problem));
    return {Json{{"format", "orrery-check/1"}, {"valid", reading.scenario.has_value() && !hasErrors(reading.problems)}, {"problems", std::move(list)}}, "", false};
}

} // namespace orrery
