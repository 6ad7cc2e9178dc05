// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/headline.hpp"

#include "app/cli/common/text.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/results/report/bottleneck.hpp"
#include "core/scenario/serving_words.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace orrery {
namespace {

std::string words(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

void heading(std::ostream& out, const std::string& text) { out << '\n'
                                                               << text << '\n'; }

std::string fitText(const Result& result) {
    const MemoryReport& memory = result.memory;
    return bytesText(memory.peakBytes) + " of " + bytesText(memory.capacityBytes) +
           (result.fits ? "" : "  does not fit");
}

struct PlanPrinter {
    const Scenario& scenario;
    std::ostream& out;

    void operator()(const TrainingWorkload& training) const {
        const Parallelism& plan = scenario.parallelism;
        out << "tensor " << plan.tensor << (plan.sequence ? " with sequence" : "") << ", pipeline " << plan.pipeline;
        if (plan.virtualPipeline > 1) out << " × " << plan.virtualPipeline << " chunks";
        if (plan.context > 1) out << ", context " << plan.context;
        out << ", data " << plan.data << ", ZeRO " << plan.zeroStage << ", " << wordOf(training.precision) << '\n';
        out << groupedText(training.globalBatch) << " sequences of " << groupedText(training.sequenceLength) << " tokens, "
            << groupedText(scenario.microBatches()) << (scenario.microBatches() == 1 ? " micro-batch of " : " micro-batches of ")
            << training.microBatch << '\n';
    }
    void operator()(const RecordedIteration& recorded) const { (*this)(recorded.counted); }
    void operator()(const InferenceWorkload& inference) const {
        const Parallelism& plan = scenario.parallelism;
        out << "tensor " << plan.tensor << ", pipeline " << plan.pipeline;
        if (plan.data > 1) out << ", " << plan.data << " instances";
        out << ", " << wordOf(inference.precision) << ", cache " << wordOf(inference.cachePrecision) << '\n';
        out << "a batch of " << groupedText(inference.batchSize) << ": prompts of " << groupedText(inference.inputLength) << " tokens, "
            << groupedText(inference.outputLength) << " generated\n";
    }
    void operator()(const ServingWorkload& serving) const {
        const Parallelism& plan = scenario.parallelism;
        out << "tensor " << plan.tensor << ", pipeline " << plan.pipeline;
        if (plan.data > 1) out << ", " << plan.data << " instances";
        out << ", " << wordOf(serving.precision) << ", cache " << wordOf(serving.engine.cachePrecision) << '\n';
        if (const auto* law = std::get_if<RequestLaw>(&serving.requests)) out << groupedText(law->count) << " requests";
        else out << groupedText(static_cast<double>(std::get<RequestLog>(serving.requests).list->requests.size())) << " requests of " << std::get<RequestLog>(serving.requests).file;
        out << ", up to " << groupedText(serving.engine.settings.maxSeqs) << " at a time in an instance\n";
    }
    void operator()(const RlWorkload& loop) const {
        const auto half = [this](const char* name, const RlJob& job) {
            out << name << " on " << counted(static_cast<std::int64_t>(job.placement.size()), "accelerator") << ": ";
            std::visit(PlanPrinter{*job.scenario, out}, job.scenario->workload);
        };
        half("rollout", loop.rollout);
        half("training", loop.training);
        out << (loop.colocated ? "both in turn on the same accelerators" : loop.staleness == 0 ? "both in turn"
                                                                                               : "rollout ahead by up to " + counted(loop.staleness, "step"))
            << '\n';
    }
};

void printPlan(const Result& result, std::ostream& out) {
    const Scenario& scenario = result.scenario;
    if (!result.name.empty()) out << result.name << '\n';
    const std::string model = scenario.modelName.empty() ? scenario.model.modelType : scenario.modelName;
    out << model << " (" << (scenario.model.toy ? counted(scenario.model.layers, "layer") + " of stated times" : countText(result.parameters) + " parameters") << ") on "
        << groupedText(scenario.cluster.accelerators()) << " × " << scenario.cluster.accelerator.name << '\n';
    std::visit(PlanPrinter{scenario, out}, scenario.workload);
}

/// "± 4.1 %", or where it is wide "−29 to +41 %"; empty where too few runs were measured.
std::string errorText(const Result& result, ErrorOf what, bool rate = false) {
    const std::optional<ErrorBar> bar = result.uncertainty ? result.uncertainty->of(what) : std::nullopt;
    if (!bar) return "";
    constexpr double wide = 1.2; // where the two sides are no longer alike
    if (bar->factor < wide && bar->symmetric()) return "  ± " + fixedText(100 * bar->halfWidth(), 1) + " %";
    return "  −" + fixedText(100 * bar->down(rate), 0) + " to +" + fixedText(100 * bar->up(rate), 0) + " %";
}

void printErrorBars(const Uncertainty& uncertainty, std::ostream& out) {
    const auto first = std::find_if(uncertainty.bars.begin(), uncertainty.bars.end(), [](const std::optional<ErrorBar>& one) { return one.has_value(); });
    if (first == uncertainty.bars.end()) return;
    const ErrorBar& bar = **first;
    heading(out, "How sure: 9 of 10 such runs lie within the error bar");
    out << "  " << bar.basis << '\n';
    if (!bar.missing.empty()) out << "  " << bar.missing << '\n';
    TextTable table;
    table.setLeft(2);
    for (const NearRun& run : bar.nearest) table.add({run.id, (run.errorPercent < 0 ? "−" : "+") + fixedText(std::abs(run.errorPercent), 1) + " %", run.source});
    table.print(out, 4);
}

void printTraining(const TrainingMetrics& training, const Result& result, std::ostream& out) {
    double exposed = 0;
    for (std::size_t i = 0; i < timePartCount; ++i) {
        if (isExposed(static_cast<TimePart>(i))) exposed += training.breakdown[i];
    }
    TextTable table;
    table.setLeft(1);
    table.add({"Iteration time", timeText(training.iterationTime) + errorText(result, ErrorOf::time)});
    table.add({"Tokens/s per accelerator", groupedText(training.tokensPerSecondPerAccelerator) + errorText(result, ErrorOf::time, true)});
    if (!result.scenario.model.toy) table.add({"Model FLOPs utilisation (MFU)", percentText(training.mfu)});
    table.add({"Peak memory", fitText(result)});
    table.add({"Pipeline bubble", percentText(training.bubbleFraction)});
    table.add({"Exposed communication", timeText(exposed) + "  " + percentText(exposed / training.iterationTime)});
    out << '\n';
    table.print(out);

    heading(out, "Where the iteration goes");
    constexpr double dust = 1e-9;
    TextTable breakdown;
    for (std::size_t i = 0; i < timePartCount; ++i) {
        // Differences of rounded times leave dust where nothing happens.
        if (std::abs(training.breakdown[i]) < dust * training.iterationTime) continue;
        breakdown.add({words(toString(static_cast<TimePart>(i))), timeText(training.breakdown[i]),
                       percentText(training.breakdown[i] / training.iterationTime)});
    }
    breakdown.print(out, 2);
    if (result.uncertainty) printErrorBars(*result.uncertainty, out);
}

void printInference(const InferenceMetrics& inference, const Result& result, std::ostream& out) {
    TextTable table;
    table.setLeft(1);
    const std::string rateError = errorText(result, ErrorOf::output_rate, true);
    table.add({"Time to first token", timeText(inference.ttft) + errorText(result, ErrorOf::first_token)});
    if (inference.tpot > 0) table.add({"Time per output token", timeText(inference.tpot) + errorText(result, ErrorOf::per_token)});
    table.add({"Request latency", timeText(inference.requestLatency) + errorText(result, ErrorOf::output_rate)});
    table.add({"Output tokens/s", groupedText(inference.outputTokensPerSecond) + rateError});
    table.add({"Output tokens/s per accelerator", groupedText(inference.outputTokensPerSecondPerAccelerator) + rateError});
    table.add({"Peak memory", fitText(result)});
    out << '\n';
    table.print(out);
    if (result.uncertainty) printErrorBars(*result.uncertainty, out);
}

void addFleet(TextTable& rates, const FleetReport& fleet) {
    rates.add({"Replicas, mean and most", fixedText(fleet.meanReplicas, 1) + ", " + groupedText(fleet.mostReplicas)});
    rates.add({"Replica hours", fixedText(fleet.replicaHours, 2)});
    if (fleet.cost) rates.add({"  their cost", fixedText(*fleet.cost, 2)});
    if (fleet.energyKwh) rates.add({"Energy of steps", fixedText(*fleet.energyKwh, 2) + " kWh"});
    if (fleet.log.failures > 0) rates.add({"Failures, requests that moved", groupedText(double(fleet.log.failures)) + ", " + groupedText(double(fleet.log.moved))});
}

void printServing(const ServingReport& report, const Result& result, std::ostream& out) {
    const ServingMetrics& served = report.served;
    out << '\n'
        << groupedText(double(served.completed)) << " of " << groupedText(double(served.count)) << " requests completed" << (served.completed > 0 ? " in " + timeText(served.duration) : std::string())
        << ", " << groupedText(double(served.rejected)) << " rejected, " << groupedText(double(served.preemptions)) << " preemptions\n";
    if (served.completed == 0) {
        out << "\nNothing ran, so there is no figure of it.  Peak memory " << fitText(result) << '\n';
        return;
    }
    TextTable table({"", "mean", "50 %", "90 %", "99 %", ""});
    table.setLeft(1);
    const auto add = [&](const char* name, const Distribution& values, const std::string& error) {
        if (values.count > 0) table.add({name, timeText(values.mean), timeText(values.p50), timeText(values.p90), timeText(values.p99), error});
    };
    add("Time to first token", served.ttft, errorText(result, ErrorOf::first_token));
    add("Time per output token", served.tpot, errorText(result, ErrorOf::per_token));
    add("Whole request", served.e2e, "");
    add("Queue", served.queue, "");
    out << '\n';
    table.print(out);
    TextTable rates;
    rates.setLeft(1);
    rates.add({"Output tokens/s", groupedText(served.outputTokensPerSecond) + errorText(result, ErrorOf::output_rate, true)});
    rates.add({"Output tokens/s per accelerator", groupedText(report.outputTokensPerSecondPerAccelerator)});
    if (served.goodput) rates.add({"Requests/s within the limits", groupedText(*served.goodput)});
    if (report.fleet) addFleet(rates, *report.fleet);
    rates.add({"Key-value cache in use", percentText(served.kvCacheUtilisation)});
    rates.add({"Prompt tokens found in the cache", percentText(served.prefixHitRate)});
    for (const CacheTierKind tier : report.tiers) rates.add({"  of these in the tier " + std::string(wordOf(tier)), percentText(served.tierHitRate[static_cast<std::size_t>(tier)])});
    rates.add({"Peak memory", fitText(result)});
    out << '\n';
    rates.print(out);
    if (result.uncertainty) printErrorBars(*result.uncertainty, out);
}

void printRl(const RlReport& report, const Result& result, std::ostream& out) {
    out << '\n';
    if (!report.ran) {
        out << "No step ends: not every prompt is answered.  Peak memory " << fitText(result) << '\n';
        return;
    }
    TextTable table;
    table.setLeft(1);
    table.add({"Step time", timeText(report.stepTime)});
    table.add({"Answers/s", report.answersPerSecond < 100 ? fixedText(report.answersPerSecond, 2) : groupedText(report.answersPerSecond)});
    table.add({"Output tokens/s", groupedText(report.outputTokensPerSecond)});
    table.add({"Trained tokens/s", groupedText(report.trainedTokensPerSecond)});
    table.add({"Idle in rollout, training", percentText(report.rolloutIdle) + ", " + percentText(report.trainingIdle)});
    table.add({"Peak memory", fitText(result)});
    table.print(out);
    heading(out, "Where the step goes");
    TextTable parts({"", "takes", "waited for", ""});
    parts.setLeft(0);
    for (std::size_t i = 0; i < rlPartCount; ++i)
        if (report.whole[i] > 0) parts.add({std::string(toString(static_cast<RlPart>(i))), timeText(report.whole[i]), timeText(report.waited[i]), percentText(report.waited[i] / report.stepTime)});
    parts.print(out, 2);
}

void printJitter(const JitterReport& jitter, std::ostream& out) {
    heading(out, "With jitter, by the number of accelerators");
    TextTable table({"accelerators", "mean", "5 %", "50 %", "95 %", "over none", "hosts"});
    for (const JitterPoint& point : jitter.curve)
        table.add({groupedText(point.ranks) + (point.ranks == jitter.own.ranks ? " *" : "  "), timeText(point.mean), timeText(point.p5), timeText(point.p50),
                   timeText(point.p95), percentText(point.mean / jitter.without - 1), timeText(point.hosts)});
    table.print(out, 2);
    out << "  without jitter " << timeText(jitter.without);
    if (jitter.slowestHost > 1)
        out << "; the slowest of " << groupedText(jitter.hostCount) << " hosts takes " << percentText(jitter.slowestHost - 1)
            << " longer than the usual one and costs " << timeText(jitter.own.hosts);
    out << '\n';
}

void printRun(const RunEstimate& run, std::ostream& out) {
    heading(out, "The whole run");
    TextTable table;
    table.setLeft(1);
    if (run.days) {
        table.add({"Days", fixedText(*run.days, 1)});
        table.add({"Accelerator-hours", groupedText(run.acceleratorHours)});
    }
    if (run.cost) table.add({"Cost", groupedText(*run.cost)});
    if (run.energyKwh) table.add({"Energy", groupedText(*run.energyKwh) + " kWh"});
    if (const auto& failures = run.failures) {
        table.add({"Goodput with failures", percentText(failures->goodput)});
        table.add({"Job fails every", spanText(failures->mtbf)});
        table.add({"Checkpoint every", spanText(failures->checkpointInterval) + " (best " + spanText(failures->bestInterval) + ", by Young's rule " + spanText(failures->youngInterval) + ")"});
        if (failures->failures) table.add({"Failures", *failures->failures < 10 ? fixedText(*failures->failures, 1) : groupedText(*failures->failures)});
    }
    table.print(out, 2);
}

std::string valueText(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_number_float() ? formatNumber(value.get<double>()) : value.dump();
}

void printMends(const std::vector<TriedMend>& mends, std::ostream& out) {
    if (mends.empty()) return;
    heading(out, "What would fit, as tried");
    TextTable table;
    table.setLeft(0);
    for (const TriedMend& mend : mends) table.add({mend.text, timeText(mend.iterationTime), bytesText(mend.peakBytes)});
    table.print(out, 2);
}

void printAssumed(const std::vector<Assumption>& assumed, std::ostream& out) {
    if (assumed.empty()) return;
    heading(out, "Assumed (" + std::to_string(assumed.size()) + ")");
    TextTable table;
    table.setLeft(1);
    table.setLeft(2);
    constexpr std::size_t longest = 40;
    for (const Assumption& one : assumed) {
        std::string value = valueText(one.value);
        if (value.size() > longest) value = value.substr(0, longest - 1) + "…";
        table.add({one.pointer, value, one.why});
    }
    table.print(out, 2);
}

void printWarningsOf(const Result& result, std::ostream& out) {
    if (result.warnings.empty()) return;
    heading(out, "Warnings");
    for (const Problem& warning : result.warnings) out << "  " << toText(warning) << '\n';
}

} // namespace

void printMemory(const Result& result, std::ostream& out) {
    heading(out, "Memory by stage, GiB");
    const auto alive = [&](std::size_t kind) {
        return std::any_of(result.memory.stages.begin(), result.memory.stages.end(),
                           [&](const StageMemory& stage) { return stage.bytes[kind] > 0; });
    };
    std::vector<std::string> header{"stage"};
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        if (alive(kind)) header.push_back(words(toString(static_cast<MemoryKind>(kind))));
    }
    header.push_back("peak");
    TextTable table(header);
    for (const StageMemory& stage : result.memory.stages) {
        std::vector<std::string> row{std::to_string(stage.stage)};
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
            if (alive(kind)) row.push_back(fixedText(stage.bytes[kind] / units::gibibyte, 2));
        }
        row.push_back(fixedText(stage.peakBytes / units::gibibyte, 2));
        table.add(row);
    }
    table.print(out, 2);
    out << "  peak " << fitText(result) << "; PyTorch would count " << bytesText(result.memory.allocatedPeakBytes)
        << " allocated, " << bytesText(result.memory.reservedPeakBytes) << " reserved\n";
    if (result.outOfMemory) {
        // Every stage of an engine is accounted as its fullest accelerator is.
        out << (result.training() ? "  Stage " + std::to_string(result.outOfMemory->stage) : std::string("  An accelerator")) << " needs " << bytesText(result.outOfMemory->neededBytes)
            << (result.training() ? ", the accelerator has " : ", the engine may take ") << bytesText(result.outOfMemory->capacityBytes) << ": "
            << bytesText(result.outOfMemory->neededBytes - result.outOfMemory->capacityBytes) << " too much.\n";
    }
}

void printHeadline(const Result& result, std::ostream& out) {
    printPlan(result, out);
    if (result.training()) printTraining(*result.training(), result, out);
    if (result.rl()) printRl(*result.rl(), result, out);
    if (result.inference()) printInference(*result.inference(), result, out);
    if (result.serving() && result.fits) printServing(*result.serving(), result, out);
    if (result.jitter) printJitter(*result.jitter, out);
    printMemory(result, out);
    if (result.outOfMemory) printMends(result.outOfMemory->mends, out);
    if (result.training() && result.training()->run) printRun(*result.training()->run, out);
    printAssumed(result.assumed, out);
    printWarningsOf(result, out);
}

} // namespace orrery
