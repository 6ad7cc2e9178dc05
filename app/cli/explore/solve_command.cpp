// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/figure_text.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/explore/explored_scenario.hpp"
#include "app/common/exit_status.hpp"
#include "core/answers/explore/solve.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>

namespace orrery {
namespace {

/// `POINTER=VALUE`; a pointer of a result may hold `key=value` itself, so that the last sign cuts.
std::optional<Assignment> targetIn(const std::string& text, Problems& problems) {
    const std::size_t equals = text.rfind('=');
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    const Json number = Json::parse(value, nullptr, false);
    if (equals != std::string::npos && equals > 0 && number.is_number() && std::isfinite(number.get<double>())) return Assignment{text.substr(0, equals), value};
    Problem problem;
    problem.code = "not-a-target";
    problem.message = "\"" + shortened(text, 80) + "\" is not written as POINTER=NUMBER.";
    problem.mend = "For example /mfu=0.5.";
    problems.push_back(std::move(problem));
    return std::nullopt;
}

std::optional<SolveQuestion> questionOf(const SolveOptions& options, const Trials& trials, Problems& problems) {
    const auto vary = parseAssignment(options.vary, problems);
    const auto range = vary ? parseRange(vary->text, problems) : std::nullopt;
    const auto reach = targetIn(options.reach, problems);
    if (!range || !reach) return std::nullopt;
    problems = problemsOfPlace(trials, vary->pointer, range->wholeNumbers ? Json(static_cast<std::int64_t>(range->low)) : Json(range->low));
    if (hasErrors(problems)) return std::nullopt;
    return SolveQuestion{vary->pointer, *range, measureFor(trials.document(), reach->pointer), Json::parse(reach->text).get<double>()};
}

void printText(const SolveQuestion& question, const Solution& solution) {
    std::cout << question.pointer << " = " << formatNumber(solution.value) << " makes " << question.measure.name << ' ' << figureText(question.measure, solution.figure) << '\n';
    if (formatNumber(solution.low) != formatNumber(solution.high)) std::cout << "It lies between " << formatNumber(solution.low) << " and " << formatNumber(solution.high) << ".\n";
    std::cout << "\nTried\n";
    TextTable table({question.pointer, question.measure.name});
    for (const SolveTrial& trial : solution.curve) table.add({formatNumber(trial.value), trial.figure ? figureText(question.measure, *trial.figure) : "–"});
    table.print(std::cout, 2);
}

} // namespace

int runSolveCommand(const SolveOptions& options) {
    Problems problems;
    ExploredScenario explored(options.scenario, problems);
    if (!explored.trials()) return refuse(problems, options.json);
    const auto question = questionOf(options, *explored.trials(), problems);
    if (!question) return refuse(problems, options.json);
    if (explored.base().result) problems = problemsOf({question->measure}, *explored.base().result);
    if (hasErrors(problems)) return refuse(problems, options.json);
    const SolveRun run = solve(*explored.trials(), *question);
    if (!run.solution) return refuse(run.problems, options.json);
    if (options.json) printDocument(solutionDocument(*question, *run.solution));
    else printText(*question, *run.solution);
    return exit_done;
}

} // namespace orrery
