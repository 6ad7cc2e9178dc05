// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/sections.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "core/scenario/reader/training_ground.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace orrery {
namespace {

std::optional<double> optionalNumber(const FilledDocument& document, const std::string& pointer) {
    if (!document.has(pointer)) return std::nullopt;
    return document.number(pointer);
}

void readRecompute(const FilledDocument& document, Execution& execution) {
    const Json* asked = document.find("/execution/recompute");
    if (!asked) return; // nothing trains
    const Json& given = *asked;
    if (given.is_string()) {
        execution.recompute = document.word("/execution/recompute", RecomputeKind::none);
    } else if (given.contains("modules")) {
        execution.recompute = RecomputeKind::modules;
        execution.recomputeModules = given.at("modules").get<std::vector<std::string>>();
    } else {
        execution.recompute = RecomputeKind::every;
        execution.recomputeEvery = document.integer("/execution/recompute/every", 1);
    }
}

/// A gradient precision that the scenario chooses replaces what the profile's software uses.
void applyGradientPrecision(const FilledDocument& document, FrameworkProfile& profile) {
    const double bytes = traitsOf(document.word("/workload/gradient_precision", Precision::bf16)).bytes;
    const bool profileIsSame = (profile.gradientBytes >= 4) == (bytes >= 4);
    if (profileIsSame) return;
    profile.gradientBytes = bytes;
    profile.gradientReduceBytes = bytes;
}

/// A gradient precision on the wire alone.
void applyReducePrecision(const FilledDocument& document, FrameworkProfile& profile) {
    if (!document.has("/workload/gradient_reduce_precision")) return;
    profile.gradientReduceBytes = traitsOf(document.word("/workload/gradient_reduce_precision", Precision::fp32)).bytes;
}

/// A layer's products of this name, by itself, joined with others, or of a latent attention.
std::array<std::string_view, 3> productsOf(AdapterTarget target) {
    switch (target) {
    case AdapterTarget::q_proj: return {"attention.q", "attention.qkv", "attention.q_up"};
    case AdapterTarget::k_proj: return {"attention.k", "attention.qkv", "attention.kv_up"};
    case AdapterTarget::v_proj: return {"attention.v", "attention.qkv", "attention.kv_up"};
    case AdapterTarget::o_proj: return {"attention.output", "", ""};
    case AdapterTarget::gate_proj: return {"mlp.gate", "mlp.gate_up", ""};
    case AdapterTarget::up_proj: return {"mlp.up", "mlp.gate_up", ""};
    case AdapterTarget::down_proj: return {"mlp.down", "", ""};
    }
    return {};
}

void applyAdapterTargets(const FilledDocument& document, FrameworkProfile& profile) {
    const Json* targets = document.find("/workload/lora_targets");
    if (!targets) return;
    profile.adaptedProducts.clear();
    for (const Json& target : *targets)
        for (const std::string_view product : productsOf(fromText<AdapterTarget>(target.get<std::string>()).value_or(AdapterTarget::q_proj)))
            if (!product.empty()) profile.adaptedProducts.emplace_back(product);
}

/// Weights stored with one scale a tensor also travel in 8 bit; blocks of their own are quantised where they arrive
/// (Megatron-Core, optimizer/distrib_optimizer.py: mxfp8 gathers 16-bit weights through the gradients' buffer).
void applyQuantisedParameters(const FilledDocument& document, FrameworkProfile& profile) {
    const bool manyScales = document.says("/workload/fp8_recipe", Fp8Recipe::block) || document.says("/workload/fp8_recipe", Fp8Recipe::rowwise);
    const bool byTensor = document.says("/workload/precision", Precision::fp8) && !manyScales;
    const bool sharded = profile.quantisesShards && document.integer("/parallelism/zero_stage", 0) >= 3;
    if (byTensor && (profile.quantisedParameters || sharded)) profile.gatheredWeightBytes = 1;
}

void readGraphs(const FilledDocument& document, Execution& execution) {
    const Json* asked = document.find("/execution/cuda_graphs");
    if (!asked) return;
    execution.cudaGraphs = !asked->is_boolean() || asked->get<bool>();
    execution.graphsHoldIteration = document.says("/execution/cuda_graphs", GraphsHeld::full_iteration);
    if (!asked->is_object()) return;
    for (const Json& part : asked->at(wordOf(GraphsHeld::parts))) execution.graphParts.push_back(*fromText<GraphPart>(part.get_ref<const std::string&>()));
}

} // namespace

void applyWeightPrecision(const FilledDocument& document, FrameworkProfile& profile) {
    if (!document.has("/workload/weight_precision")) return;
    const double bytes = traitsOf(document.word("/workload/weight_precision", Precision::fp32)).bytes;
    constexpr double moments = 8; // of Adam in fp32, which a profile's optimizer bytes hold
    const bool copies = profile.optimizerBytes > moments, keptWide = profile.weightBytes >= 4 || copies;
    if (keptWide == (bytes >= 4)) return;
    if (bytes < 4) {
        // The weights themselves are stepped over, and their gradients are as wide.
        profile.weightBytes = bytes;
        profile.optimizerBytes = std::min(profile.optimizerBytes, moments);
        profile.bf16WholeMasterBytes = 0;
        profile.gradientBytes = bytes;
    } else {
        profile.weightBytes = bytes;
        profile.gradientBytes = std::max(profile.gradientBytes, bytes);
    }
}

std::string readNotes(const FilledDocument& document) {
    const Json* notes = document.find("/notes");
    if (!notes) return {};
    return notes->is_string() ? notes->get<std::string>() : notes->dump(-1, ' ', false, Json::error_handler_t::replace);
}

TrainingWorkload readTraining(const FilledDocument& document) {
    TrainingWorkload workload;
    workload.sequenceLength = document.integer("/workload/sequence_length");
    workload.globalBatch = document.integer("/workload/global_batch_size");
    workload.microBatch = document.integer("/workload/micro_batch_size");
    workload.precision = document.word("/workload/precision", Precision::bf16);
    if (traitsOf(workload.precision).freezesWeights) {
        workload.frozenStorage = workload.precision == Precision::int8 ? WeightStorage::int8 : WeightStorage::nf4;
        workload.precision = Precision::bf16;
    }
    workload.optimizer = document.word("/workload/optimizer", OptimizerKind::adam);
    workload.optimizerElementBytes = traitsOf(document.word("/workload/optimizer_precision", Precision::fp32)).bytes;
    workload.fp8Recipe = fromText<Fp8Recipe>(document.text("/workload/fp8_recipe"));
    workload.task = document.word("/workload/task", TaskKind::pretrain);
    workload.loraRank = document.integer("/workload/lora_rank");
    workload.images = readImages(document);
    workload.documentLength = std::min(document.integer("/workload/document_length", 0), workload.sequenceLength);
    return workload;
}

ScheduleKind readSchedule(const FilledDocument& document) {
    return document.word("/parallelism/schedule", usualOrder(1));
}

ScheduleKind scheduleRun(const PlanNumbers& plan) {
    const ScheduleTraits& traits = traitsOf(plan.schedule);
    if (plan.pipeline == 1 && traits.placement == PlacementKind::vee) return PipelineOrder::one_f_one_b; // one stage has no V to fold
    return plan.chunksPerStage == 1 ? traits.withOneChunk : plan.schedule;
}

Parallelism readParallelism(const FilledDocument& document, const PlanNumbers& plan) {
    Parallelism parallelism;
    parallelism.tensor = static_cast<int>(plan.tensor);
    parallelism.pipeline = static_cast<int>(plan.pipeline);
    parallelism.virtualPipeline = static_cast<int>(plan.chunksPerStage);
    parallelism.data = static_cast<int>(plan.data());
    parallelism.context = static_cast<int>(plan.context);
    parallelism.expert = static_cast<int>(plan.expert);
    parallelism.expertTensor = static_cast<int>(plan.expertTensor);
    parallelism.contextMethod = document.word("/parallelism/context_method", ContextMethod::ring);
    parallelism.sequence = plan.sequence && plan.tensor > 1;
    parallelism.zeroStage = document.integer("/parallelism/zero_stage");
    parallelism.shardGroup = document.integer("/parallelism/shard_group", 0);
    parallelism.schedule = scheduleRun(plan);
    parallelism.order = document.text("/parallelism/order");
    if (const Json* layout = document.find("/parallelism/pipeline_layout")) parallelism.layout = layout->get<std::vector<int>>();
    return parallelism;
}

Execution readExecution(const FilledDocument& document, const FrameworkProfile& profile) {
    Execution execution;
    execution.profile = profile;
    applyWeightPrecision(document, execution.profile);
    applyGradientPrecision(document, execution.profile);
    applyReducePrecision(document, execution.profile);
    applyAdapterTargets(document, execution.profile);
    applyQuantisedParameters(document, execution.profile);
    applyExpertRecipe(document, execution.profile);
    readGraphs(document, execution);
    readRecompute(document, execution);
    execution.expertCapacity = document.number("/execution/moe_dispatch/capacity_factor");
    execution.overlap.expert = document.boolean("/execution/overlap/expert");
    execution.offload.weights = document.number("/execution/offload/weights");
    execution.offload.activations = document.number("/execution/offload/activations");
    execution.offload.optimizer = document.number("/execution/offload/optimizer");
    execution.attention = document.word("/execution/attention", AttentionKind::flash);
    execution.eightBitAttention = document.says("/execution/attention_precision", AttentionPrecision::fp8);
    execution.compile = document.boolean("/execution/compile");
    execution.overlap.data = document.boolean("/execution/overlap/data");
    execution.overlap.tensor = document.boolean("/execution/overlap/tensor");
    execution.overlap.pipeline = document.boolean("/execution/overlap/pipeline");
    if (const Json* passes = document.find("/execution/passes"))
        for (const auto& [name, on] : passes->items()) execution.passes[name] = on.get<bool>();
    execution.chunkedLoss = execution.passes.contains("chunked_loss") && execution.passes.at("chunked_loss");
    if (const Json* calibration = document.find("/execution/calibration"))
        for (const auto& [name, value] : calibration->items()) execution.calibration[name] = value.get<double>();
    return execution;
}

double readExpertLoad(const FilledDocument& document, std::int64_t experts, std::int64_t ranks) {
    std::vector<double> load(static_cast<std::size_t>(std::max<std::int64_t>(1, experts)), 1);
    if (const Json* histogram = document.find("/execution/expert_load/histogram")) {
        for (std::size_t i = 0; i < load.size(); ++i) load[i] = (*histogram)[i % histogram->size()].get<double>();
    } else if (document.has("/execution/expert_load/zipf")) {
        const double exponent = document.number("/execution/expert_load/zipf");
        for (std::size_t i = 0; i < load.size(); ++i) load[i] = std::pow(double(i + 1), -exponent);
    }
    const std::size_t each = std::max<std::size_t>(1, load.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, ranks)));
    double all = 0, busiest = 0;
    for (std::size_t first = 0; first < load.size(); first += each) {
        double sum = 0;
        for (std::size_t i = first; i < std::min(first + each, load.size()); ++i) sum += load[i];
        all += sum;
        busiest = std::max(busiest, sum);
    }
    return all > 0 ? busiest / (all * double(each) / double(load.size())) : 1;
}

std::optional<Reliability> readReliability(const FilledDocument& document) {
    const auto hours = optionalNumber(document, "/reliability/mtbf_hours_per_accelerator");
    if (!hours) return std::nullopt;
    Reliability reliability;
    reliability.meanTimeBetweenFailures = *hours * units::hour;
    reliability.checkpointInterval = optionalNumber(document, "/reliability/checkpoint_interval_s");
    reliability.checkpointTime = optionalNumber(document, "/reliability/checkpoint_s").value_or(0);
    reliability.restartTime = optionalNumber(document, "/reliability/restart_s").value_or(0);
    reliability.spares = static_cast<int>(optionalNumber(document, "/reliability/spares").value_or(0));
    return reliability;
}

Economics readEconomics(const FilledDocument& document) {
    Economics economics;
    economics.pricePerAcceleratorHour = optionalNumber(document, "/economics/price_per_accelerator_hour");
    economics.powerWatts = optionalNumber(document, "/economics/power_w");
    economics.tokensTotal = optionalNumber(document, "/economics/tokens_total");
    return economics;
}

} // namespace orrery
