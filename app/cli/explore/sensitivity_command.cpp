// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/figure_text.hpp"
#include "app/cli/common/kept_answer.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/explore/explored_scenario.hpp"
#include "app/common/exit_status.hpp"
#include "core/answers/explore/sensitivity.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <iostream>

namespace orrery {
namespace {

void printText(const Sensitivity& sensitivity) {
    const Measure& measure = sensitivity.measure;
    const std::string by = formatNumber(sensitivity.byPercent) + " %";
    std::cout << measure.name << ' ' << figureText(measure, sensitivity.base) << "; each input by itself " << by << " less and more\n";
    TextTable table({"input", "is", by + " less", by + " more", "change", ""});
    const auto change = [&](const std::optional<double>& figure) { return figure ? percentText(*figure / sensitivity.base - 1) : std::string("–"); };
    for (const SensitivityRow& row : sensitivity.rows) {
        table.add({row.input, formatNumber(row.value), row.low ? figureText(measure, *row.low) : "–", row.high ? figureText(measure, *row.high) : "–", change(row.low), change(row.high)});
    }
    table.print(std::cout, 2);
}

} // namespace

int runSensitivityCommand(const SensitivityOptions& options) {
    Problems problems;
    const ExploredScenario explored(options.scenario, problems);
    if (!explored.trials()) return refuse(problems, options.json);
    const Trials& trials = *explored.trials();
    RunControl control = commandControl();
    control.threads = threadsFor(options.threads);
    const SensitivityRun run = sensitivity(trials, measureFor(trials.document(), options.metric), options.byPercent, control);
    if (!run.sensitivity) return refuse(run.problems, options.json);
    if (options.json) printDocument(sensitivityDocument(*run.sensitivity));
    else printText(*run.sensitivity);
    return exit_done;
}

} // namespace orrery
