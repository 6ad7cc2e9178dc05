// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/cli/explore/planned_model.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/planner/planner.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/report/uncertainty.hpp"
#include "resources/shipped_evidence.hpp"

#include <charconv>
#include <iostream>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

Problem badOption(const char* option, const std::string& text, const char* mend) {
    Problem problem;
    problem.code = "bad-command-line";
    problem.message = std::string(option) + " " + text + " can't be read.";
    problem.mend = mend;
    return problem;
}

/// A number with a unit behind it.
std::optional<std::pair<double, std::string>> quantityOf(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    std::string unit(read.ptr, text.data() + text.size());
    unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
    return std::pair(value, std::move(unit));
}

std::optional<double> shareOf(const std::string& text, Problems& problems) {
    if (text.empty()) return std::nullopt;
    const auto quantity = quantityOf(text);
    constexpr double hundred = 100;
    if (quantity && quantity->second == "%") return quantity->first / hundred;
    if (quantity && quantity->second.empty()) return quantity->first;
    problems.push_back(badOption("--margin", text, "Write a share of the memory, as 5%."));
    return std::nullopt;
}

/// Bytes/s.
std::optional<double> bandwidthOf(const std::string& text, Problems& problems) {
    if (text.empty()) return std::nullopt;
    const auto quantity = quantityOf(text);
    constexpr double giga = 1e9, bits = 8;
    if (quantity && (quantity->second == "Gb/s" || quantity->second == "Gbit/s" || quantity->second == "Gbps")) return quantity->first * giga / bits;
    if (quantity && quantity->second == "GB/s") return quantity->first * giga;
    problems.push_back(badOption("--network", text, "Write a bandwidth with its unit, as 800Gb/s or 100GB/s."));
    return std::nullopt;
}

std::string chanceText(const std::optional<double>& chance) { return chance ? percentText(*chance) : "–"; }

void printPlans(const PlanAnswer& answer) {
    const bool trains = answer.plans.front().result->training() != nullptr;
    TextTable table(trains ? std::vector<std::string>{"plan", "", "iteration", "tokens/s each", "MFU", "peak memory", "fits", "best is better"}
                           : std::vector<std::string>{"plan", "", "tokens/s", "tokens/s each", "TTFT p90", "TPOT p90", "peak memory", "fits", "best is better"});
    table.setLeft(1);
    for (std::size_t i = 0; i < answer.plans.size(); ++i) {
        const PlannedRun& run = answer.plans[i];
        const Result& result = *run.result;
        std::vector<std::string> row{i == 0 ? "best" : std::to_string(i + 1), planText(result.scenario)};
        const std::string about = run.simulated ? "" : "~ ";
        if (const TrainingMetrics* metrics = result.training())
            for (std::string& text : std::vector<std::string>{about + timeText(metrics->iterationTime), about + countText(metrics->tokensPerSecondPerAccelerator), run.simulated ? percentText(metrics->mfu) : "–"}) row.push_back(std::move(text));
        if (const ServingReport* report = result.serving())
            for (std::string& text : std::vector<std::string>{countText(report->served.outputTokensPerSecond), countText(report->outputTokensPerSecondPerAccelerator), timeText(report->served.ttft.p90), timeText(report->served.tpot.p90)}) row.push_back(std::move(text));
        row.push_back(about + bytesText(result.memory.peakBytes));
        row.push_back(chanceText(fitsProbability(result)));
        row.push_back(i == 0 ? "" : chanceText(answer.probabilityBetter[i - 1]));
        table.add(std::move(row));
    }
    table.print(std::cout, 2);
}

void printText(const PlanAnswer& answer, const std::string& model) {
    std::cout << model << " on " << answer.machine.text() << '\n';
    printPlans(answer);
    std::cout << '\n';
    for (const std::string& reason : answer.reasons) std::cout << "- " << reason << '\n';
    std::cout << '\n';
    if (!answer.launch.tool.empty()) std::cout << "With " << answer.launch.tool << '\n';
    std::cout << (answer.launch.text.empty() ? "# " + answer.launch.whyNone + "\n" : answer.launch.text);
}

} // namespace

int runPlanCommand(const PlanCommandOptions& options) {
    Problems problems;
    PlanRequest request;
    request.margin = shareOf(options.margin, problems);
    request.network = bandwidthOf(options.network, problems);
    const Catalog catalog = userCatalog(problems);
    const auto model = hasErrors(problems) ? std::nullopt : namedModel(options.model, catalog, problems);
    if (!model) return refuse(problems, options.json);
    printWarnings(problems);
    request.model = model->model;
    request.modelName = model->name;
    request.machine = options.machine;
    request.framework = options.framework;
    request.precision = options.precision;
    request.train = {options.sequence, options.batch};
    if (options.serve) {
        AskedServing& serve = request.serve.emplace();
        serve.rate = options.rate;
        serve.input = options.input;
        serve.output = options.output;
        if (options.ttft > 0) serve.ttft = options.ttft;
        if (options.tpot > 0) serve.tpot = options.tpot;
    }
    const auto bars = shippedErrorBars(catalog);
    const EvidenceJudge judge(bars, catalog);
    RunControl control;
    control.threads = threadsFor(options.threads);
    const auto answer = planFor(request, {catalog, *bars, judge}, problems, control);
    if (!answer) return refuse(problems, options.json);
    if (options.json) printDocument(toJson(*answer));
    else printText(*answer, model->name);
    return exit_done;
}

} // namespace orrery
