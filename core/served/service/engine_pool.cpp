// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/engine_pool.hpp"
#include "core/order/serving/policy_traits.hpp"

#include "core/model/transformer_graph.hpp"
#include "core/scenario/serving_workload.hpp"
#include "core/served/inference/apart_experts.hpp"
#include "core/served/inference/draft_engine.hpp"
#include "core/served/inference/engine_collectives.hpp"
#include "core/served/inference/engine_formats.hpp"
#include "core/served/inference/held_cache.hpp"
#include "core/served/inference/pipeline_round.hpp"
#include "core/served/inference/scenario_engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace orrery {
namespace {

/// Blocks of an attention group's cache that are told apart: beyond, no run would come near their number.
constexpr double mostBlocks = 1e9;

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

/// States get this many bytes for each byte of cache (assumed: the default of SGLang 0.5's mamba_full_memory_ratio, from memory).
constexpr double stateToCacheRatio = 0.9;

/// As many sequences run at once as the states of each stage find room for.
void limitSequences(EnginePool& pool, const std::vector<double>& rooms) {
    int& most = pool.options.settings.maxSeqs;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        const StepModel::StageHold& hold = pool.model().stages()[i];
        if (!(hold.state > 0) || !(rooms[i] > 0)) continue;
        const double share = hold.cache > 0 ? stateToCacheRatio / (1 + stateToCacheRatio) : 1;
        most = std::max(1, static_cast<int>(std::min(double(most), std::floor(rooms[i] * share / hold.state))));
    }
}

/// The engine takes its share of the memory; what weights, a full step and the software leave of that holds keys and values. Or keys and values
/// get a share of what these leave of all. All stages hold the same tokens, as many as the stage with the least room can.
void giveMemory(EnginePool& pool) {
    const StepModel& model = pool.model();
    const EngineModel& engine = model.engine();
    const double software = engine.profile.frameworkBytes + (engine.parallelism.ranks() > 1 ? engine.profile.communicatorBytes : 0);
    pool.memory.capacity = engine.memoryBytes; // mostMemory() asks for it
    std::vector<double> rooms;
    for (const StepModel::StageHold& hold : model.stages()) {
        EngineMemory stage;
        stage.capacity = engine.memoryBytes;
        stage.weights = hold.weights;
        stage.activations = model.activationBytes(pool.options.settings.maxBatchedTokens, pool.stages.size() + 1 == model.stages().size());
        stage.framework = software;
        const double left = pool.mostMemory() - stage.needed();
        rooms.push_back(pool.options.freeMemoryShare ? left * *pool.options.freeMemoryShare : left);
        pool.stages.push_back(stage);
    }
    limitSequences(pool, rooms);
    double fewest = std::numeric_limits<double>::infinity(), states = 0;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        const StepModel::StageHold& hold = model.stages()[i];
        if (rooms[i] > 0) pool.stages[i].cache = hold.state * pool.options.settings.maxSeqs;
        states += pool.stages[i].cache;
        const double room = rooms[i] - pool.stages[i].cache, block = hold.cache * pool.options.settings.blockSize;
        if (block > 0 || room <= 0) fewest = std::min(fewest, room > 0 ? std::floor(room / block) : 0);
    }
    // Sequences of attention groups lie in their own group's cache. Where nothing grows with a sequence no block is ever missing.
    const std::int64_t ofGroup = std::isfinite(fewest) || states > 0 ? static_cast<std::int64_t>(std::min(fewest, mostBlocks / engine.parallelism.attentionData)) : 0;
    pool.blocks = ofGroup * engine.parallelism.attentionData;
    for (std::size_t i = 0; i < pool.stages.size(); ++i) pool.stages[i].cache += static_cast<double>(ofGroup) * model.stages()[i].cache * pool.options.settings.blockSize;
    pool.memory = pool.stages[fullestStage(pool.stages)];
}

/// Instances fill the pool's accelerators one after another.
std::vector<std::vector<int>> ranksOf(const std::vector<AcceleratorRange>& places, int instances, int each) {
    std::vector<int> all;
    for (const AcceleratorRange& range : places)
        for (int rank = range.first; rank < range.first + range.count; ++rank) all.push_back(rank);
    std::vector<std::vector<int>> ranks;
    ranks.reserve(static_cast<std::size_t>(instances));
    for (std::ptrdiff_t instance = 0; instance < instances; ++instance) ranks.emplace_back(all.begin() + instance * each, all.begin() + (instance + 1) * each);
    return ranks;
}

/// The scenario as if all of its cluster were what the pool runs on.
Scenario onHardware(const Scenario& scenario, const Accelerator& accelerator, const PoolHardware& hardware) {
    Scenario other = scenario;
    other.cluster.accelerator = accelerator;
    other.cluster.scaleUpBandwidth = hardware.scaleUpBandwidth;
    other.cluster.scaleUpLatency = hardware.scaleUpLatency;
    other.cluster.usualScaleUpLatency = hardware.usualScaleUpLatency;
    other.kernels = hardware.kernels;
    other.kernelTimes = hardware.kernelTimes;
    other.library = hardware.library;
    return other;
}

/// Attention groups that have limits of their own: TensorRT-LLM's and vLLM's are each rank's (max_num_tokens and max_batch_size with
/// enable_attention_dp; vLLM's data-parallel ranks are engines with schedulers of their own), SGLang divides its by dp_size (server_args.py,
/// from memory).
int ownLimits(const EngineSettings& settings, const Parallelism& plan) { return traitsOf(settings.policy).sharesLimits ? 1 : plan.attentionData; }

/// Where an engine's model comes from; it may be known.
using EngineSource = std::function<std::shared_ptr<const KnownSteps>(const Scenario& scenario, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks)>;

std::shared_ptr<const KnownSteps> newEngine(const Scenario& scenario, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks) {
    const auto* const served = std::get_if<ServingWorkload>(&scenario.workload);
    const bool isFleet = served != nullptr && served->fleet; // its many replicas run the same steps again and again
    return std::make_shared<const KnownSteps>(servedEngine(scenario, plan, options, ranks), isFleet);
}

EnginePool makePool(const Scenario& scenario, const Parallelism& plan, const EngineOptions& options, int instances, const std::vector<AcceleratorRange>& places, InstanceRole role, const EngineSource& engine) {
    EnginePool pool;
    pool.role = role;
    pool.options = options;
    pool.watts = scenario.cluster.accelerator.tdpWatts;
    Parallelism one = plan;
    one.data = 1;
    for (CacheTierSettings& tier : pool.options.settings.tiers)
        if (tier.bandwidth == 0) tier.bandwidth = scenario.cluster.accelerator.hostLinkBandwidth * one.ranks(); // the reader lets only host leave it out
    pool.ranks = ranksOf(places, instances, one.ranks());
    pool.clock = std::make_unique<ModelClock>(engine(scenario, plan, options, pool.ranks.front()), options.settings.maxBatchedTokens * ownLimits(options.settings, plan));
    giveMemory(pool);
    // vLLM's first engine kept all of every layer's tokens beside layers without windows.
    if (options.settings.policy != SchedulerPolicy::vllm_v0) pool.window = cacheWindow(pool.model());
    return pool;
}

/// What the engine plans at once: a round of as many micro-batches as there are stages, of as many attention groups. The limit of tokens is
/// of one of them; TensorRT-LLM's limit of sequences too (its batch manager's max_num_sequences is max_batch_size times micro-batches),
/// vLLM's and SGLang's is of all.
EngineSettings roundSettings(EngineSettings settings, const Parallelism& plan) {
    const int stages = plan.pipeline;
    settings.maxBatchedTokens *= stages * ownLimits(settings, plan);
    settings.maxSeqs *= ownLimits(settings, plan);
    const bool ofMicroBatch = settings.policy == SchedulerPolicy::trtllm_guaranteed_no_evict || settings.policy == SchedulerPolicy::trtllm_max_utilization;
    if (ofMicroBatch) settings.maxSeqs *= stages;
    return settings;
}

} // namespace

double ModelClock::seconds(const StepBatch& batch) const {
    return model().engine().parallelism.pipeline == 1 ? steps_->seconds(batch) : roundSeconds(model(), batch, mostTokens_);
}

double EnginePool::mostMemory() const { return memory.capacity * (options.freeMemoryShare ? 1 : options.memoryShare); }

double EnginePool::cacheBytesPerToken() const {
    const EngineModel& engine = model().engine();
    return orrery::cacheBytesPerToken(engine.model, engineFormats(engine.precision, engine.fp8Recipe, engine.cachePrecision, engine.weightsAlone).cache);
}

std::int64_t EnginePool::longestContext() const {
    const EngineSettings& engine = options.settings;
    const std::int64_t own = blocks / plan().attentionData; // of a request's own attention group
    // What a request takes grows with its length: the last length that fits lies between what whole blocks hold and the first that does not.
    std::int64_t fits = own * engine.blockSize, beyond = std::max<std::int64_t>(1, fits);
    const auto isHeld = [&](std::int64_t tokens) { return window.mostBlocks(tokens, engine.chunkedPrefill ? engine.maxBatchedTokens : tokens, engine.blockSize) <= own; };
    constexpr std::int64_t endless = std::int64_t{1} << 30U; // longer than any model reads
    if (window.share <= 0 || own < 1) return fits;
    for (; beyond < endless && isHeld(beyond); beyond *= 2) fits = beyond;
    while (beyond - fits > 1) {
        const std::int64_t middle = fits + (beyond - fits) / 2;
        (isHeld(middle) ? fits : beyond) = middle;
    }
    return fits;
}

InstanceSettings EnginePool::settings() const {
    InstanceSettings instance;
    instance.engine = roundSettings(options.settings, plan());
    instance.engine.blockBytes = cacheBytesPerToken() * instance.engine.blockSize;
    instance.engine.blocks = static_cast<int>(std::min<std::int64_t>(blocks, std::numeric_limits<int>::max()));
    instance.clock = clock.get();
    instance.role = role;
    instance.window = window;
    return instance;
}

namespace {

Scenario withoutImages(const Scenario& scenario) {
    Scenario other = scenario;
    std::get<ServingWorkload>(other.workload).images = {};
    return other;
}

Scenario hardwareOf(const Scenario& scenario, const ServingPool& pool) { return pool.hardware ? onHardware(scenario, *pool.accelerator, *pool.hardware) : scenario; }

std::vector<int> acceleratorsOf(const ServingPool& pool) { return ranksOf(pool.places, 1, pool.instances * pool.plan.accelerators()).front(); }

std::vector<int> joined(std::vector<int> first, const std::vector<int>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// The routed experts of a pool as an engine of nothing else, on a network that joins both.
std::shared_ptr<const EngineModel> expertsEngine(const Scenario& scenario, const ServingPool& attention, const ServingPool& experts) {
    Parallelism plan = planOf(scenario.parallelism, experts.plan);
    plan.attentionData = plan.expert = experts.instances;
    EngineModel engine = servedEngine(hardwareOf(scenario, experts), plan, experts.engine, acceleratorsOf(experts));
    engine.network = engineOf(scenario, plan, experts.engine.cachePrecision, false, joined(acceleratorsOf(attention), acceleratorsOf(experts))).network;
    return std::make_shared<const EngineModel>(std::move(engine));
}

/// Attention instances that step together, with their experts on accelerators apart: one instance of as many attention groups.
EnginePool apartPool(const Scenario& scenario, const ServingPool& attention, const ServingPool& experts) {
    Parallelism plan = planOf(scenario.parallelism, attention.plan);
    plan.attentionData *= attention.instances;
    const std::shared_ptr<const EngineModel> apart = expertsEngine(scenario, attention, experts);
    const EngineSource engine = [&apart](const Scenario& own, const Parallelism& whole, const EngineOptions& options, const std::vector<int>& ranks) {
        EngineModel model = servedEngine(own, whole, options, ranks);
        model.experts = apart;
        return std::make_shared<const KnownSteps>(model, false);
    };
    EnginePool pool = makePool(hardwareOf(scenario, attention), plan, attention.engine, 1, attention.places, InstanceRole::decode, engine);
    pool.apartAccelerators = experts.instances;
    EngineMemory& memory = pool.apartMemory;
    memory.capacity = apart->memoryBytes;
    memory.weights = apartWeightBytes(*apart, engineFormats(apart->precision, apart->fp8Recipe, apart->cachePrecision, apart->weightsAlone));
    memory.activations = pool.model().activationBytes(attention.engine.settings.maxSeqs * double(plan.attentionData) / experts.instances, false);
    memory.framework = apart->profile.frameworkBytes + apart->profile.communicatorBytes;
    return pool;
}

/// What comes of the images goes to the prefill instances as embeddings of the model's width in 16 bit.
void putEncodersBefore(EnginePool& pool, const Scenario& scenario, const ServingPool& encode) {
    constexpr double sixteenBit = 2;
    const std::vector<int> ranks = acceleratorsOf(encode);
    const Parallelism plan = planOf(scenario.parallelism, encode.plan);
    const StepModel model(servedEngine(hardwareOf(scenario, encode), plan, encode.engine, {ranks.begin(), ranks.begin() + plan.tensor}));
    const EngineModel both = engineOf(scenario, plan, encode.engine.cachePrecision, false, joined(ranks, pool.ranks.front()));
    const ImageLoad images = imagesOf(scenario.workload);
    const double tokens = double(images.count) * imageParts(*scenario.model.vision, images.width, images.height).tokens;
    const double bytes = tokens * double(scenario.model.hidden) * sixteenBit;
    pool.encoders = EncoderStage{encode.instances, model.encodeSeconds(), farthestSend(both, bytes)};
    pool.encoderAccelerators = static_cast<int>(ranks.size());
}

std::vector<EnginePool> poolsWith(const Scenario& scenario, const ServingWorkload& workload, const EngineSource& engine) {
    std::vector<EnginePool> pools;
    if (!workload.disaggregation) {
        pools.push_back(makePool(scenario, scenario.parallelism, workload.engine, scenario.parallelism.data, placesBeside(scenario.beside, scenario.cluster.accelerators()), InstanceRole::both, engine));
        return pools;
    }
    const Disaggregation& split = *workload.disaggregation;
    const Scenario own = split.encode ? withoutImages(scenario) : scenario;
    const auto add = [&](const ServingPool& pool, InstanceRole role) {
        const Parallelism plan = planOf(own.parallelism, pool.plan);
        pools.push_back(makePool(hardwareOf(own, pool), plan, pool.engine, pool.instances, pool.places, role, pool.hardware || split.encode ? EngineSource(newEngine) : engine));
    };
    add(split.prefill, InstanceRole::prefill);
    if (split.experts) pools.push_back(apartPool(own, split.decode, *split.experts));
    else add(split.decode, InstanceRole::decode);
    if (split.encode) putEncodersBefore(pools.front(), scenario, *split.encode);
    return pools;
}

} // namespace

std::vector<EnginePool> enginePools(const Scenario& scenario, const ServingWorkload& workload) { return poolsWith(scenario, workload, newEngine); }

std::vector<EnginePool> enginePools(const Scenario& scenario, const ServingWorkload& workload, EngineShelf& shelf, std::size_t hardware) {
    return poolsWith(scenario, workload, [&](const Scenario& own, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks) {
        return shelf.engine(own, hardware, plan, options, ranks);
    });
}

} // namespace orrery
