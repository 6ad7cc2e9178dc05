// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/figure_text.hpp"
#include "app/cli/common/kept_answer.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/explore/explored_scenario.hpp"
#include "app/cli/explore/kept_points.hpp"
#include "app/cli/explore/process_tasks.hpp"
#include "app/cli/explore/processes.hpp"
#include "app/common/exit_status.hpp"
#include "core/answers/explore/sweep.hpp"
#include "core/answers/explore/value_list.hpp"
#include "core/answers/search/space_tasks.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

namespace orrery {
namespace {

Problem twiceVaried(const std::string& pointer) {
    Problem problem;
    problem.code = "varied-twice";
    problem.pointer = pointer;
    problem.message = pointer + " is varied twice.";
    problem.mend = "Name each key once, with all its values.";
    return problem;
}

std::vector<SweptKey> axesOf(const SweepOptions& options, const Trials& trials, Problems& problems) {
    std::vector<SweptKey> axes;
    const auto add = [&](const std::string& pointer, std::vector<BoxedJson> values) {
        if (std::any_of(axes.begin(), axes.end(), [&](const SweptKey& axis) { return axis.pointer == pointer; })) problems.push_back(twiceVaried(pointer));
        const Problems ofPlace = problemsOfPlace(trials, pointer, *values.front());
        problems.insert(problems.end(), ofPlace.begin(), ofPlace.end());
        axes.push_back({pointer, std::move(values)});
    };
    const auto addText = [&](const std::string& pointer, const std::string& text) {
        auto values = parseValues(text, static_cast<std::size_t>(std::min(options.most, 1e9)), problems);
        if (values) add(pointer, std::move(*values));
    };
    for (const std::string& text : options.vary)
        if (const auto assignment = parseAssignment(text, problems)) addText(assignment->pointer, assignment->text);
    for (const auto& [pointer, values] : options.varied) {
        if (values->is_string()) addText(pointer, values->get<std::string>());
        else add(pointer, std::vector<BoxedJson>(values->begin(), values->end()));
    }
    return axes;
}

Problem tooManyPoints(double points, double seconds, double most) {
    Problem problem;
    problem.code = "too-many-points";
    problem.message = "These are " + countText(points) + " combinations, which would take " + aboutText(seconds) + "; " + formatNumber(most) + " are the most.";
    problem.mend = "Vary less, or allow more with --most.";
    return problem;
}

void printText(const SweepQuestion& question, const std::vector<SweptPoint>& points) {
    std::vector<std::string> header;
    for (const SweptKey& axis : question.axes) header.push_back(axis.pointer);
    for (const Measure& measure : question.measures) header.push_back(measure.name);
    header.emplace_back("fits");
    TextTable table(header);
    table.setLeft(header.size() - 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<std::string> row;
        for (const ScenarioEdit& edit : question.changes(i)) row.push_back(edit.value->is_string() ? edit.value->get<std::string>() : edit.value->dump());
        for (std::size_t m = 0; m < question.measures.size(); ++m) row.push_back(figureText(question.measures[m], *points[i].metrics[m]));
        row.push_back(points[i].fits ? (*points[i].fits ? "yes" : "no") : points[i].problem);
        table.add(std::move(row));
    }
    table.print(std::cout);
}

/// What the processes that the leader shares the sweep with do. They print nothing.
int helpSweep(const SweepOptions& options, const Processes& processes) {
    Problems problems;
    const ExploredScenario explored(options.scenario, problems);
    SweepQuestion question;
    if (explored.trials()) question = {axesOf(options, *explored.trials(), problems), measuresFor(explored.trials()->document(), options.metrics)};
    if (explored.trials() && !hasErrors(problems)) helpLeader(processes, {*explored.trials(), question, nullptr, false, std::max(1, options.threads)});
    else declineToHelp(processes, problems.empty() ? "it has no scenario." : problems.front().message);
    return exit_done;
}

} // namespace

int runSweepCommand(const SweepOptions& options) {
    Problems unjoined;
    const std::unique_ptr<Processes> processes = Processes::join(unjoined);
    if (processes && processes->rank() > 0) return helpSweep(options, *processes);
    if (hasErrors(unjoined)) return Processes::isFirst() ? refuse(unjoined, options.json) : exit_bad_input;
    if (const auto problem = problemOfTableName(options.table)) return refuse(*problem, options.json);
    Problems problems;
    ExploredScenario explored(options.scenario, problems);
    if (!explored.trials()) return refuse(problems, options.json);
    const Trials& trials = *explored.trials();
    SweepQuestion question{axesOf(options, trials, problems), measuresFor(trials.document(), options.metrics)};
    if (hasErrors(problems)) return refuse(problems, options.json);

    const int threads = processes ? std::max(1, options.threads) : threadsFor(options.threads);
    if (explored.base().result) problems = problemsOf(question.measures, *explored.base().result);
    const double points = question.points();
    const double seconds = points * explored.baseSeconds() / std::min<double>(threads, points);
    if (points > options.most) problems.push_back(tooManyPoints(points, seconds, options.most));
    if (hasErrors(problems)) return refuse(problems, options.json);
    messageStream() << countText(points) << (points == 1 ? " point, " : " points, ") << aboutText(seconds) << " at the scenario's own speed\n";

    KeptPoints kept(options.checkpoint, "sweep", question, trials.document(), problems);
    if (hasErrors(problems)) return refuse(problems, options.json);
    RunControl control = commandControl();
    control.threads = threads;
    SweepRun run;
    if (processes) {
        SpreadRun spread(*processes, {trials, question, nullptr, false, threads});
        SpreadSpace space(spread.pool(), trials, question);
        run = runSweep(trials, question, space, kept.takeKnown(), control, kept.keeper());
    } else {
        run = runSweep(trials, question, kept.takeKnown(), control, kept.keeper());
    }
    kept.sayFault();
    for (const Problem& problem : run.problems) messageStream() << "warning: " << toText(problem) << '\n';
    if (const auto problem = saveTables(options.table, {sweepTable(question, run.points)})) return refuse(*problem, options.json);
    if (options.json) printDocument(sweepDocument(question, run.points));
    else printText(question, run.points);
    return exit_done;
}

} // namespace orrery
