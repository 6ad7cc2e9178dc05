// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/results/report/bottleneck.hpp"
#include "core/results/report/result.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/results/report/uncertainty.hpp"
#include "core/scenario/scenario_words.hpp"
#include "core/scenario/serving_words.hpp"

namespace orrery {
namespace {

Json stagesJson(const MemoryReport& memory) {
    Json stages = Json::array();
    for (const StageMemory& stage : memory.stages) {
        Json entry{{"stage", stage.stage}};
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
            entry[std::string(toString(static_cast<MemoryKind>(kind)))] = stage.bytes[kind];
        entry["peak_bytes"] = stage.peakBytes;
        entry["peak_time_s"] = stage.peakTime;
        stages.push_back(std::move(entry));
    }
    return stages;
}

Json breakdownJson(const TimeBreakdown& breakdown) {
    Json parts = Json::object();
    for (std::size_t part = 0; part < timePartCount; ++part)
        parts[std::string(toString(static_cast<TimePart>(part)))] = breakdown[part];
    return parts;
}

Json operationsJson(const std::vector<OperationRow>& operations) {
    Json rows = Json::array();
    for (const OperationRow& row : operations)
        rows.push_back({{"kind", row.kind},
                        {"phase", row.phase},
                        {"count", row.count},
                        {"time_s", row.time},
                        {"flops", row.flops},
                        {"bytes", row.bytes},
                        {"bound", toString(row.bound)},
                        {"source", toString(row.source)}});
    return rows;
}

Json bottleneckJson(const Bottleneck& bottleneck) {
    Json times = Json::object();
    for (const Bound bound : allBounds) times[std::string(toString(bound))] = bottleneck.time[static_cast<std::size_t>(bound)];
    return {{"bound", toString(bottleneck.bound)}, {"time_s", std::move(times)}};
}

void addMetrics(Json& document, const TrainingMetrics& metrics) {
    document["iteration_time_s"] = metrics.iterationTime;
    document["tokens_per_s"] = metrics.tokensPerSecond;
    document["tokens_per_s_per_accelerator"] = metrics.tokensPerSecondPerAccelerator;
    document["model_tflops_per_accelerator"] = metrics.modelTflopsPerAccelerator;
    document["mfu"] = metrics.mfu;
    document["hfu"] = metrics.hfu;
    document["mfu_causal"] = metrics.mfuCausal;
    document["flop_rule"] = metrics.flopRule;
    document["bubble_fraction"] = metrics.bubbleFraction;
    document["bubble_over_ideal"] = metrics.bubbleOverIdeal ? Json(*metrics.bubbleOverIdeal) : Json();
    document["time_breakdown_s"] = breakdownJson(metrics.breakdown);
    Json stages = Json::array();
    for (std::size_t stage = 0; stage < metrics.stages.size(); ++stage)
        stages.push_back({{"stage", stage}, {"time_breakdown_s", breakdownJson(metrics.stages[stage])}});
    const bool interferes = !metrics.stageInterference.empty();
    for (std::size_t stage = 0; interferes && stage < metrics.stages.size(); ++stage)
        stages[stage]["interference_s"] = metrics.stageInterference[stage];
    if (interferes) document["interference_s"] = metrics.interference;
    document["stages"] = std::move(stages);
    if (metrics.costPerBillionTokens) document["cost_per_billion_tokens"] = *metrics.costPerBillionTokens;
    if (!metrics.run) return;
    Json run = Json::object();
    if (metrics.run->days) run = {{"days", *metrics.run->days}, {"accelerator_hours", metrics.run->acceleratorHours}};
    if (metrics.run->cost) run["cost"] = *metrics.run->cost;
    if (metrics.run->energyKwh) run["energy_kwh"] = *metrics.run->energyKwh;
    if (const auto& failures = metrics.run->failures) {
        run["goodput"] = failures->goodput;
        run["mtbf_hours"] = failures->mtbf / units::hour;
        run["checkpoint_interval_s"] = failures->checkpointInterval;
        run["best_checkpoint_interval_s"] = failures->bestInterval;
        run["young_checkpoint_interval_s"] = failures->youngInterval;
        run["spares_last_hours"] = failures->sparesLast / units::hour;
        if (failures->failures) run["failures"] = *failures->failures;
    }
    document["run"] = std::move(run);
}

void addMetrics(Json& document, const InferenceMetrics& metrics) {
    document["ttft_s"] = metrics.ttft;
    document["tpot_s"] = metrics.tpot > 0 ? Json(metrics.tpot) : Json(); // an answer of one token has none
    document["request_latency_s"] = metrics.requestLatency;
    document["output_tokens_per_s"] = metrics.outputTokensPerSecond;
    document["output_tokens_per_s_per_accelerator"] = metrics.outputTokensPerSecondPerAccelerator;
}

/// What never ran has no figure.
Json figureOf(bool ran, double value) { return ran ? Json(value) : Json(); }

Json distributionJson(const Distribution& values) {
    if (values.count == 0) return {{"mean", nullptr}, {"p50", nullptr}, {"p90", nullptr}, {"p95", nullptr}, {"p99", nullptr}};
    return {{"mean", values.mean}, {"p50", values.p50}, {"p90", values.p90}, {"p95", values.p95}, {"p99", values.p99}};
}

Json latencyJson(LatencyFigure figure, const LatencyParts& parts, bool ran, bool tiers) {
    const auto isShown = [&](LatencyPart part) {
        if (part == LatencyPart::encode) return parts[part] > 0;
        return tiers || part != LatencyPart::cache_load;
    };
    Json members = Json::object();
    for (std::size_t i = 0; i < latencyPartCount; ++i)
        if (const auto part = static_cast<LatencyPart>(i); isPartOf(figure, part) && isShown(part)) members[keyOf(figure, part)] = figureOf(ran, parts.seconds[i]);
    return members;
}

Json fleetJson(const FleetReport& fleet) {
    Json document{{"replica_hours", fleet.replicaHours}, {"mean_replicas", fleet.meanReplicas}, {"most_replicas", fleet.mostReplicas}, {"started", fleet.log.started}, {"stopped", fleet.log.stopped}, {"failures", fleet.log.failures}, {"moved", fleet.log.moved}, {"refused", {{"fleet_full", fleet.full}, {"waited_too_long", fleet.late}}}};
    if (fleet.cost) document["cost"] = *fleet.cost;
    if (fleet.energyKwh) document["energy_kwh"] = *fleet.energyKwh;
    Json parts = Json::array();
    for (const FleetStretch& one : fleet.stretches) {
        parts.push_back({{"start_s", one.start}, {"duration_s", one.seconds}, {"replicas", one.replicas}, {"arrived", one.arrived}, {"completed", one.completed}, {"refused", one.refused}, {"output_tokens_per_s", one.outputTokens / one.seconds}, {"goodput_requests_per_s", static_cast<double>(one.within) / one.seconds}});
        if (fleet.cost && fleet.replicaHours > 0) parts.back()["cost"] = *fleet.cost * (one.replicas * one.seconds / units::hour / fleet.replicaHours);
    }
    document["over_time"] = std::move(parts);
    return document;
}

void addMetrics(Json& document, const ServingReport& report) {
    const ServingMetrics& served = report.served;
    document["requests"] = {{"count", served.count}, {"completed", served.completed}, {"rejected", served.rejected}};
    const bool ran = served.completed > 0;
    document["duration_s"] = figureOf(ran, served.duration);
    document["output_tokens_per_s"] = figureOf(ran, served.outputTokensPerSecond);
    document["output_tokens_per_s_per_accelerator"] = figureOf(ran, report.outputTokensPerSecondPerAccelerator);
    document["total_tokens_per_s"] = figureOf(ran, served.totalTokensPerSecond);
    document["ttft_s"] = distributionJson(served.ttft);
    document["tpot_s"] = distributionJson(served.tpot);
    document["itl_s"] = distributionJson(served.itl);
    document["e2e_s"] = distributionJson(served.e2e);
    document["queue_s"] = distributionJson(served.queue);
    document["preemptions"] = ran || served.rejected > 0 ? Json(served.preemptions) : Json();
    document["kv_cache_utilisation"] = figureOf(ran, served.kvCacheUtilisation);
    document["kv_cache"] = {{"bytes_per_token", report.cache.bytesPerToken}, {"blocks", report.cache.blocks}, {"block_size", report.cache.blockSize}};
    document["prefix_hit_rate"] = figureOf(ran, served.prefixHitRate);
    for (const CacheTierKind tier : report.tiers) document["tier_hit_rate"][std::string(wordOf(tier))] = figureOf(ran, served.tierHitRate[static_cast<std::size_t>(tier)]);
    document["output_tokens_per_s_per_user"] = figureOf(served.tpot.mean > 0, served.tpot.mean > 0 ? 1 / served.tpot.mean : 0);
    const auto asked = [&](const char* key, const std::optional<double>& value) {
        if (value || !ran) document[key] = figureOf(ran && value, value.value_or(0));
    };
    asked("cost_per_million_output_tokens", report.costPerMillionOutputTokens);
    asked("energy_j_per_output_token", report.energyPerOutputToken);
    asked("goodput_requests_per_s", served.goodput);
    const ServingBreakdown& parts = served.breakdown;
    document["time_breakdown_s"] = {{"front_end", figureOf(ran, parts.frontEnd)}, {"queue", figureOf(ran, parts.queue)}, {"prefill", figureOf(ran, parts.prefill)}, {"decode", figureOf(ran, parts.decode)}, {"preempted", figureOf(ran, parts.preempted)}, {"kv_transfer", figureOf(ran, parts.kvTransfer)}};
    if (parts.encode > 0) document["time_breakdown_s"]["encode"] = parts.encode;
    document["ttft_breakdown_s"] = latencyJson(LatencyFigure::ttft, report.ttftParts, ran, !report.tiers.empty());
    if (report.fleet) document["fleet"] = fleetJson(*report.fleet);
    if (report.rate) {
        document["seconds_per_output_token"] = report.rate->total();
        Json& rate = document["output_token_breakdown_s"] = {{"idle", report.rate->idle}, {"prompts", report.rate->prompts}};
        for (std::size_t i = 0; i < latencyPartCount; ++i)
            if (report.rate->decode.seconds[i] > 0) rate[keyOf(LatencyFigure::tpot, static_cast<LatencyPart>(i))] = report.rate->decode.seconds[i];
    }
    document["tpot_breakdown_s"] = latencyJson(LatencyFigure::tpot, report.tpotParts, served.tpot.count > 0, false);
}

Json intervalJson(const ErrorBar& bar, const FigureWithBar& figure) {
    Json nearest = Json::array();
    for (const NearRun& run : bar.nearest)
        nearest.push_back({{"id", run.id}, {"distance", run.distance}, {"error_percent", run.errorPercent}, {"source", run.source}});
    Json interval{{"low", bar.low(figure.value, figure.rate)}, {"high", bar.high(figure.value, figure.rate)}, {"cases", bar.runs}, {"model_accelerator_pairs", bar.pairs}, {"same_accelerator", bar.sameAccelerator}, {"like_accelerator", bar.likeAccelerator}, {"same_framework", bar.sameFramework}, {"same_kind", bar.sameKind}, {"errors", bar.leftOut ? "left out" : "in sample"}, {"farthest", bar.farthest}, {"basis", bar.basis}};
    if (!bar.missing.empty()) interval["missing"] = bar.missing;
    interval["nearest"] = std::move(nearest);
    return interval;
}

Json uncertaintyJson(const Result& result) {
    Json figures = Json::object();
    for (const FigureWithBar& figure : figuresWithBars(result))
        figures[Json::json_pointer(figure.pointer)] = {{"value", figure.value}, {"interval_90", intervalJson(*result.uncertainty->of(figure.what), figure)}};
    return figures;
}

Json pointJson(const JitterPoint& point) {
    return {{"ranks", point.ranks}, {"mean_s", point.mean}, {"p5_s", point.p5}, {"p50_s", point.p50}, {"p95_s", point.p95}, {"hosts_s", point.hosts}};
}

Json jitterJson(const JitterReport& jitter) {
    Json document{{"method", wordOf(jitter.method)}};
    if (jitter.draws > 0) {
        document["seed"] = jitter.seed;
        document["draws"] = jitter.draws;
    }
    document["without_s"] = jitter.without;
    document["mean_s"] = jitter.own.mean;
    document["p5_s"] = jitter.own.p5;
    document["p50_s"] = jitter.own.p50;
    document["p95_s"] = jitter.own.p95;
    document["slowest_host"] = {{"hosts", jitter.hostCount}, {"factor", jitter.slowestHost}, {"cost_s", jitter.own.hosts}};
    document["parts_s"] = {{"in_layers", jitter.parts.inLayers},
                           {"between_stages", jitter.parts.betweenStages},
                           {"between_replicas", jitter.parts.betweenReplicas},
                           {"hosts", jitter.parts.hosts},
                           {"transfers", jitter.parts.transfers}};
    Json curve = Json::array();
    for (const JitterPoint& point : jitter.curve) curve.push_back(pointJson(point));
    document["by_ranks"] = std::move(curve);
    return document;
}

/// `time`: what a mend's time is called.
Json outOfMemoryJson(const OutOfMemory& out, const char* time) {
    Json document{{"stage", out.stage}, {"needed_bytes", out.neededBytes}, {"capacity_bytes", out.capacityBytes}};
    if (out.mends.empty()) return document;
    Json mends = Json::array();
    for (const TriedMend& mend : out.mends) {
        Json edits = Json::array();
        for (const ScenarioEdit& edit : mend.edits) edits.push_back({{"pointer", edit.pointer}, {"value", edit.value}});
        mends.push_back({{"text", mend.text}, {time, mend.iterationTime}, {"peak_bytes", mend.peakBytes}, {"simulated", mend.simulated}, {"edits", std::move(edits)}});
    }
    document["mends"] = std::move(mends);
    return document;
}

Json besideJson(const std::vector<BesideReport>& jobs) {
    Json list = Json::array();
    for (const BesideReport& job : jobs) {
        const double rate = job.tokensPerIteration / job.iterationTime;
        Json shared = Json::array();
        for (const SharedLink& link : job.shared) shared.push_back({{"from", link.from}, {"to", link.to}, {"count", link.count}, {"bandwidth_gb_s", link.bandwidth / units::gigabyte}});
        list.push_back({{"scenario", job.scenario},
                        {"name", job.name},
                        {"kind", "training"},
                        {"hosts", job.hosts},
                        {"iterations", job.iterations},
                        {"iteration_time_s", job.iterationTime},
                        {"longest_iteration_time_s", job.longestIterationTime},
                        {"alone_iteration_time_s", job.aloneIterationTime},
                        {"tokens_per_s", rate},
                        {"tokens_per_s_per_accelerator", rate / job.accelerators},
                        {"shared_links", std::move(shared)}});
    }
    return list;
}

/// A toy has no parameters and no FLOPs: what counts them says nothing of it.
void leaveOutUncounted(Json& document) {
    for (const char* key : {"parameters", "active_parameters", "model_tflops_per_accelerator", "mfu", "hfu", "mfu_causal", "flop_rule"}) document[key] = nullptr;
}

} // namespace

Json toJson(const Result& result) {
    Json document{{"format", "orrery-result/1"}, {"kind", kindOf(result.metrics)}, {"name", result.name}};
    Json assumed = Json::array();
    for (const Assumption& a : result.assumed)
        assumed.push_back({{"pointer", a.pointer}, {"value", a.value}, {"why", a.why}});
    document["assumed"] = std::move(assumed);
    Json warnings = Json::array();
    for (const Problem& warning : result.warnings)
        warnings.push_back({{"code", warning.code}, {"pointer", warning.pointer}, {"message", warning.message}, {"mend", warning.mend}});
    document["warnings"] = std::move(warnings);
    document["fits"] = result.fits;
    if (const auto chance = fitsProbability(result)) document["fits_probability"] = *chance;
    if (result.outOfMemory) document["out_of_memory"] = outOfMemoryJson(*result.outOfMemory, result.inference() ? "request_latency_s" : result.serving() ? "e2e_s"
                                                                                                                                                         : "iteration_time_s");
    document["memory"] = {{"capacity_bytes", result.memory.capacityBytes},
                          {"peak_bytes", result.memory.peakBytes},
                          {"allocated_peak_bytes", result.memory.allocatedPeakBytes},
                          {"reserved_peak_bytes", result.memory.reservedPeakBytes},
                          {"stages", stagesJson(result.memory)}};
    if (!result.stored.stagePeakBytes.empty())
        document["memory"]["stored_activations"] = {{"layer_bytes", result.stored.layerBytes}, {"stage_peak_bytes", result.stored.stagePeakBytes}};
    document["operations"] = operationsJson(result.operations);
    document["parameters"] = static_cast<std::int64_t>(result.parameters);
    document["active_parameters"] = static_cast<std::int64_t>(result.activeParameters);
    std::visit([&](const auto& metrics) { addMetrics(document, metrics); }, result.metrics);
    if (result.scenario.model.toy) leaveOutUncounted(document);
    if (const auto bottleneck = bottleneckOf(result)) document["bottleneck"] = bottleneckJson(*bottleneck);
    if (result.uncertainty) document["uncertainty"] = uncertaintyJson(result);
    if (!result.beside.empty()) document["beside"] = besideJson(result.beside);
    if (result.jitter) document["jitter"] = jitterJson(*result.jitter);
    return document;
}

Json toJson(const ServingReport& report) {
    Json document = Json::object();
    addMetrics(document, report);
    return document;
}

} // namespace orrery
