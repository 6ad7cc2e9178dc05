// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulation/served_run.hpp"

#include "core/inference/engine_formats.hpp"
#include "core/inference/pipeline_round.hpp"
#include "core/inference/scenario_engine.hpp"
#include "core/inference/step_model.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/routing/routed_fabric.hpp"
#include "core/serving/serving_run.hpp"
#include "core/simulation/engine_account.hpp"
#include "core/simulation/engine_timeline.hpp"
#include "core/transfers/group_layout.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// The time of a step by the model of an instance; with several stages, of a round of steps.
class ModelClock : public StepClock {
public:
    ModelClock(const EngineModel& engine, int mostTokens) : model_(engine), mostTokens_(mostTokens) {}
    double seconds(const StepBatch& batch) const override { return roundSeconds(model_, batch, mostTokens_); }
    const StepModel& model() const { return model_; }

private:
    StepModel model_;
    int mostTokens_; ///< of a micro-batch
};

/// Instances that are alike.
struct Pool {
    int instances = 1;
    int firstRank = 0;
    InstanceRole role = InstanceRole::both;
    EngineOptions options;
    std::unique_ptr<ModelClock> clock;
    EngineMemory memory; ///< the cache: what the engine gives it
    std::int64_t blocks = 0;

    int accelerators() const { return instances * clock->model().engine().parallelism.ranks(); }
};

Parallelism planOf(const Parallelism& whole, const InstancePlan& instance) {
    Parallelism plan = whole;
    plan.tensor = instance.tensor;
    plan.pipeline = instance.pipeline;
    plan.context = instance.context;
    plan.expert = instance.expert;
    plan.expertTensor = instance.expertTensor;
    plan.attentionData = instance.attentionData;
    plan.layout = instance.layout;
    return plan;
}

/// The engine takes its share of the memory; what weights, a full step and the software leave of that holds keys and values.
void giveMemory(Pool& pool) {
    const StepModel& model = pool.clock->model();
    const EngineModel& engine = model.engine();
    EngineMemory& memory = pool.memory;
    memory.capacity = engine.memoryBytes;
    memory.weights = model.weightBytes();
    memory.activations = model.activationBytes(pool.options.settings.maxBatchedTokens);
    memory.framework = engine.profile.frameworkBytes + (engine.parallelism.ranks() > 1 ? engine.profile.communicatorBytes : 0);
    const double room = memory.capacity * pool.options.memoryShare - memory.needed();
    const double block = model.kvBytesPerToken() * pool.options.settings.blockSize;
    // Sequences of attention groups lie in their own group's cache.
    pool.blocks = room > 0 && block > 0 ? static_cast<std::int64_t>(room / block) * engine.parallelism.attentionData : 0;
    memory.cache = static_cast<double>(pool.blocks / engine.parallelism.attentionData) * block;
}

/// Attention groups that have limits of their own: TensorRT-LLM's and vLLM's are each rank's (max_num_tokens and max_batch_size with
/// enable_attention_dp; vLLM's data-parallel ranks are engines with schedulers of their own), SGLang divides its by dp_size (server_args.py, from
/// memory).
int ownLimits(const EngineSettings& settings, const Parallelism& plan) { return settings.policy == SchedulerPolicy::sglang ? 1 : plan.attentionData; }

/// What the engine plans at once: a round of as many micro-batches as there are stages, of as many attention groups. The limit of tokens is of
/// one of them; TensorRT-LLM's
/// limit of sequences too (its batch manager's max_num_sequences is max_batch_size times micro-batches), vLLM's and SGLang's is of all.
EngineSettings roundSettings(EngineSettings settings, const Parallelism& plan) {
    const int stages = plan.pipeline;
    settings.maxBatchedTokens *= stages * ownLimits(settings, plan);
    settings.maxSeqs *= ownLimits(settings, plan);
    const bool ofMicroBatch = settings.policy == SchedulerPolicy::trtllm_guaranteed_no_evict || settings.policy == SchedulerPolicy::trtllm_max_utilization;
    if (ofMicroBatch) settings.maxSeqs *= stages;
    return settings;
}

Pool makePool(const Scenario& scenario, const Parallelism& plan, const EngineOptions& options, int instances, int firstRank, InstanceRole role) {
    Pool pool;
    pool.instances = instances;
    pool.firstRank = firstRank;
    pool.role = role;
    pool.options = options;
    pool.clock = std::make_unique<ModelClock>(engineOf(scenario, plan, options.cachePrecision, options.settings.asyncScheduling, firstRank), options.settings.maxBatchedTokens * ownLimits(options.settings, plan));
    giveMemory(pool);
    return pool;
}

std::vector<Pool> poolsOf(const Scenario& scenario, const ServingWorkload& workload) {
    std::vector<Pool> pools;
    if (!workload.disaggregation) {
        pools.push_back(makePool(scenario, scenario.parallelism, workload.engine, scenario.parallelism.data, 0, InstanceRole::both));
        return pools;
    }
    const auto add = [&](const ServingPool& pool, InstanceRole role) {
        const int first = pool.places.empty() ? 0 : pool.places.front().first;
        pools.push_back(makePool(scenario, planOf(scenario.parallelism, pool.plan), pool.engine, pool.instances, first, role));
    };
    add(workload.disaggregation->prefill, InstanceRole::prefill);
    add(workload.disaggregation->decode, InstanceRole::decode);
    return pools;
}

EngineFormats formatsOf(const StepModel& model) {
    const EngineModel& engine = model.engine();
    return engineFormats(engine.precision, engine.fp8Recipe, engine.cachePrecision);
}

Problem otherAccelerator() {
    Problem problem;
    problem.code = "not-supported-yet";
    problem.pointer = "/workload/engine/disaggregation";
    problem.message = "Pools on different accelerators can't be simulated yet.";
    problem.mend = "Leave `accelerator` out of the pools.";
    return problem;
}

std::shared_ptr<const RequestList> requestsOf(const ServingWorkload& workload) {
    if (const auto* log = std::get_if<RequestLog>(&workload.requests)) return log->list;
    return std::make_shared<const RequestList>(generateRequests(std::get<RequestLaw>(workload.requests)));
}

/// Each rank of an instance sends its share through its own interface, or within a domain over the scale-up fabric.
ConstantTransfers transfersBetween(const Scenario& scenario, const std::vector<Pool>& pools) {
    RoutedFabric fabric(scenario.cluster);
    const auto ranksOf = [](const Pool& pool) { return pool.clock->model().engine().parallelism.ranks(); };
    const int from = pools.front().firstRank, to = pools.back().firstRank;
    const int senders = std::min(ranksOf(pools.front()), ranksOf(pools.back()));
    const bool oneDomain = layoutOf(fabric.fabric(), {from, to}).domainCount() == 1;
    const double each = oneDomain ? scenario.cluster.scaleUpBandwidth : interfaceBandwidth(fabric.fabric(), {from, to});
    return ConstantTransfers(each * senders, fabric.router().way(from, to).latency);
}

void fillReport(ServingReport& report, const Scenario& scenario, const std::vector<Pool>& pools, const ServingOutcome& outcome) {
    double accelerators = 0, busy = 0;
    std::size_t instance = 0;
    for (const Pool& pool : pools) {
        accelerators += pool.accelerators();
        for (int i = 0; i < pool.instances; ++i) busy += outcome.totals[instance++].busySeconds * pool.clock->model().engine().parallelism.ranks();
    }
    const ServingMetrics& served = report.served;
    report.outputTokensPerSecondPerAccelerator = served.outputTokensPerSecond / accelerators;
    const Pool& decoding = pools.back();
    const StepModel& model = decoding.clock->model();
    report.cache = {cacheBytesPerToken(model.engine().model, formatsOf(model).cache), decoding.blocks, decoding.options.settings.blockSize};
    if (served.outputTokensPerSecond <= 0) return;
    if (const auto price = scenario.economics.pricePerAcceleratorHour)
        report.costPerMillionOutputTokens = *price / 3600 / report.outputTokensPerSecondPerAccelerator * 1e6;
    const double watts = scenario.economics.powerWatts.value_or(scenario.cluster.accelerator.tdpWatts);
    if (watts > 0 && served.duration > 0) report.energyPerOutputToken = watts * busy / (served.outputTokensPerSecond * served.duration);
}

Timeline timelineOf(const std::vector<Pool>& pools, const ServingReport& report) {
    std::vector<ServedInstance> instances;
    for (const Pool& pool : pools) {
        const StepModel& model = pool.clock->model();
        const int ranks = model.engine().parallelism.ranks();
        ServedInstance instance;
        instance.ranks = ranks;
        instance.fixedBytes = pool.memory.needed() - pool.memory.cache;
        instance.blocks = pool.blocks;
        // Attention groups share the blocks out; each of their accelerators has its part of all.
        instance.blockBytes = pool.blocks > 0 ? pool.memory.cache / static_cast<double>(pool.blocks) : 0;
        for (int i = 0; i < pool.instances; ++i) {
            instance.firstRank = pool.firstRank + i * ranks;
            instance.steps = &report.steps[instances.size()];
            instances.push_back(instance);
        }
    }
    return servedTimeline(instances);
}

/// Rows of a typical step of each phase, as often as its tokens ask for: what the steps' time went into.
void addServedOperations(Result& result, const Pool& pool, const ServingReport& report) {
    double prefillTokens = 0, prefills = 0, decodes = 0, decodeSteps = 0;
    for (const auto& steps : report.steps)
        for (const StepRecord& step : steps) {
            prefillTokens += step.prefillTokens;
            prefills += step.prefills;
            decodes += step.decodes;
            decodeSteps += step.decodes > 0 ? 1 : 0;
        }
    const StepModel& model = pool.clock->model();
    if (prefills > 0) {
        StepBatch batch;
        batch.prefills = {{std::max(1, static_cast<int>(std::lround(prefillTokens / prefills))), 0}};
        addOperations(result, model, batch, prefills);
    }
    if (decodeSteps > 0) {
        double context = 0;
        for (const Request& request : report.requests->requests) context += request.input + request.output / 2.0;
        StepBatch batch;
        batch.decodes = std::max(1, static_cast<int>(std::lround(decodes / decodeSteps)));
        batch.decodeContext = context / static_cast<double>(report.requests->requests.size());
        addOperations(result, model, batch, decodeSteps);
    }
}

} // namespace

Outcome simulateServing(const Scenario& scenario, const ServingWorkload& workload, const RunControl& control, const std::function<void(Result&)>& finish) {
    if (workload.disaggregation && (workload.disaggregation->prefill.accelerator || workload.disaggregation->decode.accelerator))
        return {nullptr, {otherAccelerator()}, false};
    std::vector<Pool> pools = poolsOf(scenario, workload);
    auto result = std::make_shared<Result>();
    describeRun(*result, scenario);
    const auto fullest = std::max_element(pools.begin(), pools.end(), [](const Pool& a, const Pool& b) { return a.memory.needed() < b.memory.needed(); });
    fillMemory(*result, fullest->memory);
    ServingReport report;
    report.requests = requestsOf(workload);

    ServingSettings settings;
    settings.router = workload.router;
    settings.keepSteps = true;
    for (const Pool& pool : pools) {
        InstanceSettings instance;
        instance.engine = roundSettings(pool.options.settings, pool.clock->model().engine().parallelism);
        instance.engine.blocks = static_cast<int>(pool.blocks);
        instance.clock = pool.clock.get();
        instance.role = pool.role;
        settings.instances.insert(settings.instances.end(), static_cast<std::size_t>(pool.instances), instance);
        if (pool.blocks >= 1) continue;
        result->fits = false;
        result->outOfMemory = OutOfMemory{0, pool.memory.needed(), pool.memory.capacity * pool.options.memoryShare, {}};
    }
    if (result->fits) {
        const StepModel& decoding = pools.back().clock->model();
        settings.kvBytesPerToken = cacheBytesPerToken(decoding.engine().model, formatsOf(decoding).cache);
        std::optional<ConstantTransfers> transfers;
        if (workload.disaggregation) transfers.emplace(transfersBetween(scenario, pools));
        std::optional<ServingOutcome> outcome = serve(*report.requests, settings, transfers ? &*transfers : nullptr, control);
        if (!outcome) return {nullptr, {}, true};
        report.served = metricsOf(*report.requests, *outcome, {workload.slo.ttft, workload.slo.tpot, workload.slo.e2e});
        report.steps = std::move(outcome->steps);
        fillReport(report, scenario, pools, *outcome);
        report.records = std::move(outcome->log.records);
        addServedOperations(*result, pools.back(), report);
        result->timeline = timelineOf(pools, report);
    }
    result->metrics = std::move(report);
    if (finish) finish(*result);
    if (control.progress) control.progress(1);
    return {std::move(result), {}, false};
}

} // namespace orrery
