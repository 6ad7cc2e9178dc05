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
#include "app/common/exit_status.hpp"
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

namespace orrery {
namespace {

Problem tooManyCombinations(double combinations, double seconds, double most) {
    Problem problem;
    problem.code = "too-many-combinations";
    problem.pointer = "/search/vary";
    problem.message = "The search has " + countText(combinations) + " combinations; simulating them all would take " + aboutText(seconds) + ". " + formatNumber(most) + " are the most.";
    problem.mend = "Vary less, or allow more with --most.";
    return problem;
}

std::string lastSteps(const std::string& pointer, int steps) {
    std::size_t at = pointer.size();
    for (; steps > 0 && at > 0; --steps) at = pointer.rfind('/', at - 1);
    return pointer.substr(at + 1);
}

/// A key's last step; where others end alike, as many steps as tell them apart.
std::string shortName(const std::string& pointer, const std::vector<SweptKey>& axes) {
    for (int steps = 1;; ++steps) {
        const std::string name = lastSteps(pointer, steps);
        const auto alike = std::count_if(axes.begin(), axes.end(), [&](const SweptKey& axis) { return lastSteps(axis.pointer, steps) == name; });
        if (alike <= 1 || name.size() + 1 >= pointer.size()) return name;
    }
}

/// Only keys that take more than one value tell plans apart.
void printPlans(const SearchQuestion& question, const std::vector<FrontPlan>& plans) {
    std::vector<std::string> header;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < question.space.axes.size(); ++i) {
        if (question.space.axes[i].values.size() < 2) continue;
        shown.push_back(i);
        header.push_back(shortName(question.space.axes[i].pointer, question.space.axes));
    }
    for (const Measure& measure : question.space.measures) header.push_back(measure.name);
    TextTable table(header);
    for (const FrontPlan& listed : plans) {
        const FoundPlan& plan = *listed.plan;
        const std::vector<ScenarioEdit> changes = question.space.changes(plan.index);
        std::vector<std::string> row;
        row.reserve(header.size());
        for (const std::size_t i : shown) row.push_back(changes[i].value->is_string() ? changes[i].value->get<std::string>() : changes[i].value->dump());
        for (std::size_t m = 0; m < question.space.measures.size(); ++m) row.push_back((listed.isEstimated ? "~" : "") + figureText(question.space.measures[m], *plan.point.metrics[m]));
        table.add(std::move(row));
    }
    table.print(std::cout, 2);
}

std::string wordsOf(const Objective& objective) { return (objective.maximise ? "most " : "least ") + objective.measure.name; }

void printText(const SearchQuestion& question, const SearchRun& run) {
    std::cout << countText(run.combinations) << " combinations: " << groupedText(double(run.evaluated)) << " simulated, " << groupedText(double(run.feasible)) << " of them fit and satisfy every constraint\n";
    if (run.brokenOff > 0) std::cout << groupedText(double(run.brokenOff)) << " of them no further than to where a constraint can't hold, whatever comes after\n";
    TextTable pruned({"not simulated", "because"});
    pruned.setLeft(1);
    for (const PrunedRule& rule : run.pruned) pruned.add({groupedText(double(rule.count)), rule.rule + ": " + shortened(rule.why, 160)});
    if (!pruned.empty()) pruned.print(std::cout, 2);
    if (run.best.empty()) {
        std::cout << "\nNo plan is left.\n";
        return;
    }
    std::cout << "\nBest: " << wordsOf(question.objective) << '\n';
    std::vector<FrontPlan> best;
    for (const FoundPlan& plan : run.best) best.push_back({&plan});
    printPlans(question, best);
    std::cout << "\nPareto front: " << wordsOf(question.objective) << " against " << wordsOf(question.second) << '\n';
    const std::vector<FrontPlan> front = wholeFront(question, run);
    printPlans(question, front);
    if (!run.estimatedFront.empty()) std::cout << "  ~: by estimate. A search that states \"pareto\" simulates its whole front.\n";
    if (run.rankCorrelation) std::cout << "\nRank correlation of estimated and simulated times: " << fixedText(*run.rankCorrelation, 3) << '\n';
}

Problems problemsOfKeys(const SearchQuestion& question, const Trials& trials) {
    Problems problems;
    for (const SweptKey& axis : question.space.axes) {
        for (Problem& problem : problemsOfPlace(trials, axis.pointer, *axis.values.front())) problems.push_back(std::move(problem));
    }
    return problems;
}

} // namespace

namespace {

/// What the processes that the leader shares the search with do. They print nothing: what is wrong with the scenario the leader says.
int helpSearch(const SearchCommandOptions& options, const Processes& processes) {
    Problems problems;
    const ExploredScenario explored(options.scenario, problems, ExploredScenario::Plan::may_be_impossible);
    const auto question = explored.trials() ? searchQuestionOf(explored.trials()->document(), problems) : std::nullopt;
    if (!question) {
        declineToHelp(processes, problems.empty() ? "it has no scenario." : problems.front().message);
        return exit_done;
    }
    helpLeader(processes, {*explored.trials(), question->space, &*question, !options.exhaustive, std::max(1, options.threads)});
    return exit_done;
}

} // namespace

int runSearchCommand(const SearchCommandOptions& options) {
    Problems problems;
    const std::unique_ptr<Processes> processes = Processes::join(problems);
    if (processes && processes->rank() > 0) return helpSearch(options, *processes);
    if (hasErrors(problems)) return Processes::isFirst() ? refuse(problems, options.json) : exit_bad_input;
    if (const auto problem = problemOfTableName(options.table)) return refuse(*problem, options.json);
    ExploredScenario explored(options.scenario, problems, ExploredScenario::Plan::may_be_impossible);
    if (!explored.trials()) return refuse(problems, options.json);
    const Trials& trials = *explored.trials();
    const auto question = searchQuestionOf(trials.document(), problems);
    if (!question) {
        problems.insert(problems.end(), explored.planProblems().begin(), explored.planProblems().end());
        return refuse(problems, options.json);
    }
    problems = problemsOfKeys(*question, trials);
    std::optional<std::size_t> possible;
    if (!explored.planProblems().empty() && problems.empty()) {
        possible = possiblePlan(trials, question->space);
        if (!possible && !variesWhatIsWrong(question->space, explored.planProblems())) return refuse(explored.planProblems(), options.json);
    }
    if (explored.planProblems().empty() || possible) {
        const Trial& base = explored.base(possible ? question->space.changes(*possible) : std::vector<ScenarioEdit>{});
        const Problems missing = base.result ? problemsOf(question->space.measures, *base.result) : Problems{};
        problems.insert(problems.end(), missing.begin(), missing.end());
    }
    const int threads = processes ? std::max(1, options.threads) : threadsFor(options.threads);
    const double combinations = question->space.points();
    const double seconds = combinations * explored.baseSeconds() / (threads * (processes ? processes->count() : 1));
    if (combinations > options.most) problems.push_back(tooManyCombinations(combinations, seconds, options.most));
    if (hasErrors(problems)) return refuse(problems, options.json);
    messageStream() << countText(combinations) << " combinations; simulating them all would take " << aboutText(seconds) << '\n';

    KeptPoints kept(options.checkpoint, "search", question->space, trials.document(), problems);
    if (hasErrors(problems)) return refuse(problems, options.json);
    RunControl control = commandControl();
    control.threads = threads;
    SearchOptions how;
    how.prune = !options.exhaustive;
    how.known = kept.takeKnown();
    how.onSimulated = kept.keeper();
    std::optional<SpreadRun> spread;
    if (processes) how.pool = &spread.emplace(*processes, SpreadQuestion{trials, question->space, &*question, how.prune, threads}).pool();
    const SearchRun run = runSearch(trials, *question, std::move(how), control);
    kept.sayFault();
    if (const auto problem = saveTables(options.table, searchTables(*question, run))) return refuse(*problem, options.json);
    if (options.json) printDocument(searchDocument(*question, run));
    else printText(*question, run);
    return exit_done;
}

} // namespace orrery
