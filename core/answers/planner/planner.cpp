// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/planner.hpp"
#include "core/answers/evidence/error_bars.hpp"
#include "core/answers/planner/plan_space.hpp"
#include "core/answers/planner/reasons.hpp"
#include "core/answers/planner/served_search.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/results/comparison/compare.hpp"
#include "core/results/report/uncertainty.hpp"
#include "core/scenario/engine_options.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

/// The chance to fit that a plan has to have, unless the request says how much memory stays free.
constexpr double wantedChance = 0.9;
/// `gpu_memory_utilization` of engines, unless a scenario says otherwise (core/scenario/engine_options.hpp).
const double usualEngineShare = EngineOptions().memoryShare;
/// Where too little was measured to tell.
constexpr double usualMargin = 0.1;

Problem requestProblem(const char* code, std::string message, std::string mend) {
    Problem problem;
    problem.code = code;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::string percent(double share) { return formatNumber(std::round(1000 * share) / 10) + " %"; }

/// A job of this model and framework on one accelerator: what can be said of it without a plan.
std::optional<Scenario> probe(const PlanRequest& request, const AskedMachine& machine, const FrameworkProfile* framework, const PlannerGround& ground, Problems& problems) {
    Json cluster = *machine.cluster;
    cluster["accelerators_per_node"] = 1;
    cluster["nodes"] = 1;
    Json document{{"format", "orrery-scenario/1"}, {"model", *request.model}, {"cluster", cluster}, {"execution", {{"framework", framework ? framework->id : request.framework}}}};
    const std::string precision = request.precision.empty() ? "bf16" : request.precision;
    if (request.serve) document["workload"] = {{"kind", "inference"}, {"precision", precision}, {"batch_size", 1}, {"input_length", 1}, {"output_length", 1}};
    else document["workload"] = {{"kind", "training"}, {"sequence_length", 1}, {"global_batch_size", 1}, {"micro_batch_size", 1}, {"precision", precision}};
    const ScenarioReading reading = readScenario(document, ground.catalog, ground.readFile);
    for (const Problem& problem : reading.problems)
        if (problem.severity == Severity::error) problems.push_back(problem);
    return hasErrors(problems) ? std::nullopt : reading.scenario;
}

MemoryMargin marginOf(const PlanRequest& request, const AskedMachine& machine, const Scenario& probed, const PlannerGround& ground) {
    if (request.margin) return {*request.margin, "as asked for"};
    // What an engine does not reserve is its own margin.
    if (request.serve) return {1 - usualEngineShare, "which is what vLLM's gpu_memory_utilization leaves"};
    RunTraits traits = traitsOf(probed);
    traits.accelerators = machine.accelerators();
    const std::optional<ErrorBar> bar = ground.bars.bar(ErrorOf::memory, traits);
    if (!bar || bar->factor <= 1) return {usualMargin, "for too few runs like these had their memory measured to say how far off it is"};
    // The ratio of capacity and peak at which chanceBelow() gives what is wanted.
    const double widths = std::log(2 * (1 - wantedChance)) / std::log(1 - bar->level);
    return {1 - 1 / std::pow(bar->factor, widths), "so that a plan fits with a probability of " + percent(wantedChance) + ": 9 of 10 measured peaks of such runs lie within a factor of " + formatNumber(std::round(100 * bar->factor) / 100) + " of the predicted ones"};
}

Problems checkedNumbers(const PlanRequest& request) {
    Problems problems;
    const auto refuse = [&](bool wrong, const char* what, const char* mend) {
        if (wrong) problems.push_back(requestProblem("bad-request", std::string(what) + ".", mend));
    };
    refuse(request.margin && !(*request.margin >= 0 && *request.margin < 1), "The margin of memory must be from 0 up to, but not, 100 %", "Write --margin 5%, or leave it out.");
    refuse(request.network && !(*request.network > 0), "The network's bandwidth must be more than 0", "Write --network 400Gb/s, or leave it out.");
    refuse(request.train.sequence < 0 || request.train.batch < 0, "A sequence and a batch can't be less than 1", "Write --sequence 8192 --batch 1024, or leave them out.");
    if (request.serve) {
        const AskedServing& serve = *request.serve;
        refuse(!(serve.rate >= 0), "A rate of requests can't be below 0", "Write --rate 20, or leave it out.");
        refuse(serve.input < 1 || serve.output < 1, "Prompts and answers must have a token at least", "Write --input 2000 --output 300.");
        refuse((serve.ttft && !(*serve.ttft > 0)) || (serve.tpot && !(*serve.tpot > 0)), "A limit of latency must be more than 0 s", "Write --ttft 1 --tpot 0.03.");
    }
    return problems;
}

/// One machine, and what its plans have in common.
struct Ask {
    const PlanRequest& request;
    const PlannerGround& ground;
    const Scenario& probed;
    const FrameworkProfile& framework;
    const RunControl& control;
};

struct Searched {
    BoxedJson space;
    BoxedJson splitSpace;
    FoundPlans found;
    std::string objective;
};

Searched searchTraining(const Ask& ask, const AskedMachine& machine, double margin, std::size_t others, Problems& problems) {
    Searched searched;
    searched.objective = "least iteration time";
    Json asked = askedScenario(ask.request, machine, ask.probed.model);
    asked["execution"]["framework"] = ask.framework.id;
    const double limit = (1 - margin) * machine.capacity;
    // A profile without a ladder of its own runs the same code as its line's newest that has one.
    std::vector<std::vector<std::string>> ladder = ask.framework.experts.recomputeLadder;
    for (const FrameworkProfile& other : ask.ground.catalog.frameworks())
        if (ladder.empty() && other.line == ask.framework.line && other.year >= ask.framework.year) ladder = other.experts.recomputeLadder;
    // States on the host cost time: only where nothing fits without.
    for (const bool offload : {false, true}) {
        const Json space = trainingSpace(asked, machine, ask.probed.model, ask.framework, ladder, limit, offload);
        const auto question = searchQuestionOf(space, problems);
        if (!question) return searched;
        const Trials trials(space, ask.ground.catalog, ask.ground.readFile);
        searched.space = space;
        searched.found = trainedPlans(trials, *question, limit, others, ask.ground, ask.control);
        if (!searched.found.plans.empty() || ask.control.stop.stop_requested()) break;
    }
    return searched;
}

/// A limit without which a rate says nothing: any engine serves it in the end, with a queue that grows and grows.
constexpr double usualFirstToken = 2; // s

PlanRequest withLimits(PlanRequest request) {
    if (request.serve && request.serve->rate > 0 && !request.serve->ttft) request.serve->ttft = usualFirstToken;
    return request;
}

double servedEach(const PlannedRun& run) { return run.result->serving()->outputTokensPerSecondPerAccelerator; }

/// Prompts and answers apart, where that is better than one of the plans.
void addSplit(const Ask& ask, const AskedMachine& machine, std::size_t others, Searched& searched) {
    std::vector<PlannedRun>& plans = searched.found.plans;
    const auto space = splitSpace(searched.space, plans, machine);
    if (!space) return;
    auto split = bestSplit(*space, ask.ground, mostAccelerators(plans, machine), searched.found.looked, ask.control);
    searched.splitSpace = *space;
    if (!split) return;
    plans.push_back(std::move(*split));
    std::stable_sort(plans.begin(), plans.end(), [](const PlannedRun& a, const PlannedRun& b) { return servedEach(a) > servedEach(b); });
    plans.resize(std::min(plans.size(), others + 1));
}

Searched searchServing(const Ask& ask, const AskedMachine& machine, std::size_t others, Problems& problems) {
    Searched searched;
    const AskedServing& serve = *ask.request.serve;
    searched.objective = "most tokens a second and accelerator within the limits";
    Json asked = askedScenario(ask.request, machine, ask.probed.model);
    asked["execution"]["framework"] = ask.framework.id;
    const Json space = servedSpace(asked, serve, machine, ask.probed.model);
    const auto question = searchQuestionOf(space, problems);
    if (!question) return searched;
    const Trials trials(space, ask.ground.catalog, ask.ground.readFile);
    searched.space = space;
    searched.found = servedPlans(trials, *question, others, ask.ground, ask.control);
    if (serve.rate > 0) addSplit(ask, machine, others, searched);
    return searched;
}

Searched search(const Ask& ask, const AskedMachine& machine, double margin, std::size_t others, Problems& problems) {
    return ask.request.serve ? searchServing(ask, machine, others, problems) : searchTraining(ask, machine, margin, others, problems);
}

/// The least machine that would do, of the asked one doubled and doubled again; nothing: more would not help.
std::optional<AskedMachine> leastThatWouldDo(const Ask& ask, const AskedMachine& machine, double margin) {
    const int mostAccelerators = ask.request.serve ? 1024 : 16384;
    const int asked = machine.countsHosts ? machine.hosts : machine.accelerators();
    for (int times = 2; times * machine.accelerators() <= mostAccelerators && !ask.control.stop.stop_requested(); times *= 2) {
        Problems none;
        auto larger = askedMachine(std::to_string(times * asked) + "x" + machine.word, ask.request.network, ask.ground.catalog, none);
        if (larger && !search(ask, *larger, margin, 0, none).found.plans.empty()) return larger;
    }
    return std::nullopt;
}

Problem tooSmall(const Ask& ask, const AskedMachine& machine, const MemoryMargin& margin, const LookedAt& looked) {
    if (ask.request.serve) {
        const auto enough = leastThatWouldDo(ask, machine, margin.share);
        return requestProblem("machine-too-small", ask.request.modelName + " can't be served within the limits on " + machine.text() + " by any plan of " + formatNumber(looked.combinations) + ".",
                              enough ? "The least that would do, of doublings, is " + enough->text() + "." : "No larger machine of this kind helps; allow more latency, or take faster accelerators or narrower weights.");
    }
    std::string message = ask.request.modelName + " does not fit " + machine.text() + " by any plan";
    if (looked.legal == 0 && looked.leastPeak == 0) message += " (of " + formatNumber(looked.combinations) + " none splits the model, batch and machine evenly and may fit)";
    else if (looked.leastPeak > 0) message += ": the least peak is " + formatNumber(std::round(looked.leastPeak / 1e8) / 10) + " GB, and " + formatNumber(std::round((1 - margin.share) * machine.capacity / 1e8) / 10) + " GB of an accelerator may be filled";
    const auto enough = leastThatWouldDo(ask, machine, margin.share);
    std::string mend = "No larger machine of this kind helps; take a smaller model, batch or sequence, or accelerators with more memory.";
    if (enough) mend = "The least that would do, of doublings, is " + enough->text() + ".";
    return requestProblem("machine-too-small", message + ".", mend);
}

/// The program that starts what the profile stands for; nothing for software that no command is written for.
std::optional<LaunchTool> toolOf(const FrameworkProfile& framework, bool serves) {
    const auto begins = [&](const char* with) { return framework.id.starts_with(with); };
    if (serves && framework.line != "vllm" && framework.line != "sglang" && framework.line != "trtllm") return LaunchTool::vllm; // the generic profile's
    if (serves) return launchToolOf(framework.line);
    if (begins("torchtitan")) return LaunchTool::torchtitan;
    if (begins("megatron-bridge") || begins("nemo-20")) return LaunchTool::megatron_bridge;
    return framework.line == "megatron" ? std::optional(LaunchTool::megatron_lm) : std::nullopt;
}

PlannedLaunch launchOf(const Ask& ask, const PlannedRun& best) {
    const std::optional<LaunchTool> tool = toolOf(ask.framework, ask.request.serve.has_value());
    if (!tool) return {{}, {}, "No command is written for " + ask.framework.name + "; \"orrery-cli launch\" writes for " + joinWords(launchToolWords(), "and") + "."};
    PlannedLaunch launch{launchToolWords()[static_cast<std::size_t>(*tool)], {}, {}};
    const ScenarioReading reading = readScenario(best.scenario, ask.ground.catalog, ask.ground.readFile);
    Problems problems;
    const auto text = reading.scenario ? launchText(best.scenario, *reading.scenario, *tool, problems) : std::nullopt;
    if (text) launch.text = *text;
    else launch.whyNone = problems.empty() ? "The command can't be written for this plan." : problems.front().message;
    return launch;
}

/// The figure that plans of a result's kind are chosen by.
double chosenFigure(const Result& result) {
    if (const TrainingMetrics* metrics = result.training()) return metrics->iterationTime;
    const ServingReport* report = result.serving();
    return report ? report->outputTokensPerSecondPerAccelerator : 0;
}

/// How sure the best is better than each of the others.
std::vector<std::optional<double>> probabilities(const std::vector<PlannedRun>& plans, const DifferenceJudge& differences) {
    std::vector<std::optional<double>> chances;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        const Result &a = *plans[0].result, &b = *plans[i].result;
        Comparison comparison;
        const bool trains = a.training() != nullptr;
        comparison.metric = trains ? "iteration_time_s" : "output_tokens_per_s_per_accelerator";
        comparison.lessIsBetter = trains;
        comparison.errors = errorsOf(kindOf(a.metrics), "/" + comparison.metric);
        comparison.a = chosenFigure(a);
        comparison.b = chosenFigure(b);
        comparison.difference = comparison.b - comparison.a;
        judge(comparison, differences, a.scenario, b.scenario);
        chances.push_back(comparison.probabilityABetter());
    }
    return chances;
}

} // namespace

std::optional<PlanAnswer> planFor(const PlanRequest& given, const PlannerGround& ground, Problems& problems, const RunControl& control) {
    problems = checkedNumbers(given);
    const PlanRequest request = withLimits(given);
    const auto machine = askedMachine(request.machine, request.network, ground.catalog, problems);
    if (!machine || hasErrors(problems)) return std::nullopt;
    const FrameworkProfile* const framework = askedFramework(request, *machine, ground.catalog);
    const auto probed = probe(request, *machine, framework, ground, problems);
    if (!probed || !framework) return std::nullopt;

    PlanAnswer answer;
    answer.machine = *machine;
    answer.margin = marginOf(request, *machine, *probed, ground);
    const Ask ask{request, ground, *probed, *framework, control};
    Searched searched = search(ask, *machine, answer.margin.share, otherPlans, problems);
    if (hasErrors(problems) || control.stop.stop_requested()) return std::nullopt;
    if (searched.found.plans.empty()) {
        problems.push_back(tooSmall(ask, *machine, answer.margin, searched.found.looked));
        return std::nullopt;
    }
    answer.objective = std::move(searched.objective);
    answer.space = searched.space;
    answer.splitSpace = searched.splitSpace;
    answer.looked = searched.found.looked;
    answer.plans = std::move(searched.found.plans);
    answer.probabilityBetter = probabilities(answer.plans, ground.differences);
    answer.launch = launchOf(ask, answer.plans.front());
    answer.reasons = reasonsOf(answer, given);
    return answer;
}

namespace {

/// The figures that plans are chosen by; what an estimate does not tell is null.
Json figuresOf(const PlannedRun& run) {
    const Result& result = *run.result;
    Json figures = Json::object();
    if (const TrainingMetrics* metrics = result.training()) {
        const auto known = [&](double value) { return run.simulated ? Json(value) : Json(); };
        figures = {{"iteration_time_s", metrics->iterationTime},
                   {"tokens_per_s", metrics->tokensPerSecond},
                   {"tokens_per_s_per_accelerator", metrics->tokensPerSecondPerAccelerator},
                   {"mfu", known(metrics->mfu)},
                   {"bubble_fraction", known(metrics->bubbleFraction)}};
    }
    if (const ServingReport* report = result.serving()) {
        figures = {{"output_tokens_per_s", report->served.outputTokensPerSecond},
                   {"output_tokens_per_s_per_accelerator", report->outputTokensPerSecondPerAccelerator},
                   {"ttft_s", {{"p50", report->served.ttft.p50}, {"p90", report->served.ttft.p90}}},
                   {"tpot_s", {{"p50", report->served.tpot.p50}, {"p90", report->served.tpot.p90}}},
                   {"goodput_requests_per_s", report->served.goodput ? Json(*report->served.goodput) : Json()}};
    }
    figures["peak_memory_bytes"] = result.memory.peakBytes;
    figures["capacity_bytes"] = result.memory.capacityBytes;
    return figures;
}

Json planDocument(const PlannedRun& run, const std::optional<double>& bestIsBetter, bool isBest) {
    const auto fits = fitsProbability(*run.result);
    Json document{{"plan", planText(run.result->scenario)}, {"scenario", *run.scenario}, {"figures", figuresOf(run)}, {"source", run.simulated ? "simulation" : "estimate"}, {"fits_probability", fits ? Json(*fits) : Json()}};
    if (!isBest) document["probability_best_is_better"] = bestIsBetter ? Json(*bestIsBetter) : Json();
    return document;
}

} // namespace

Json toJson(const PlanAnswer& answer) {
    Json others = Json::array();
    for (std::size_t i = 1; i < answer.plans.size(); ++i) others.push_back(planDocument(answer.plans[i], answer.probabilityBetter[i - 1], false));
    Json launch{{"for", answer.launch.tool.empty() ? Json() : Json(answer.launch.tool)}, {"text", answer.launch.text.empty() ? Json() : Json(answer.launch.text)}};
    if (!answer.launch.whyNone.empty()) launch["why_none"] = answer.launch.whyNone;
    return {{"format", "orrery-plan/1"},
            {"best", planDocument(answer.plans.front(), std::nullopt, true)},
            {"others", std::move(others)},
            {"reasons", answer.reasons},
            {"launch", std::move(launch)},
            {"machine", {{"text", answer.machine.text()}, {"counts", answer.machine.countsHosts ? "hosts" : "accelerators"}, {"hosts", answer.machine.hosts}, {"accelerators", answer.machine.accelerators()}}},
            {"margin", answer.margin.share},
            {"combinations", answer.looked.combinations},
            {"estimated", answer.looked.estimated},
            {"simulated", answer.looked.simulated},
            {"space", *answer.space},
            {"split_space", *answer.splitSpace}};
}

} // namespace orrery
