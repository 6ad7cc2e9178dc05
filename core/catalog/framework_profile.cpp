// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/framework_profile.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/records.hpp"

#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace orrery::records {
namespace {

/// Words of a value and what they mean; another word throws.
template <typename Enum>
Enum meaning(const std::string& word, std::initializer_list<std::pair<const char*, Enum>> words) {
    for (const auto& [known, value] : words)
        if (word == known) return value;
    throw std::runtime_error("frameworks.json: unknown word " + word);
}

} // namespace

FrameworkProfile framework(const Json& record) {
    FrameworkProfile result;
    result.id = record.at("id").get<std::string>();
    result.name = record.at("name").get<std::string>();
    result.year = record.at("year").get<int>();
    result.line = record.value("line", result.id);
    result.use = record.at("use").get<std::vector<std::string>>();
    result.defaults = record.at("defaults");
    const Json& values = record.at("values");
    const auto value = [&](const char* key) -> const Json& {
        const Json& entry = values.at(key);
        result.sources[key] = entry.at("source").get<std::string>();
        return entry.at("value");
    };
    result.flashAttention = value("flash_attention").get<bool>();
    result.fusedSoftmax = value("fused_softmax").get<bool>();
    result.fusedElementwise = value("fused_elementwise").get<bool>();
    result.asyncTensorCollectives = value("async_tensor_collectives").get<bool>();
    result.weightBytes = value("weight_bytes").get<double>();
    result.gatheredWeightBytes = value("gathered_weight_bytes").get<double>();
    result.gradientBytes = value("gradient_bytes").get<double>();
    result.optimizerBytes = value("optimizer_bytes").get<double>();
    result.gradientReduceBytes = value("gradient_reduce_bytes").get<double>();
    result.hostLaunch = value("host_launch_us").get<double>() * units::microsecond;
    result.iterationOverhead = value("iteration_overhead_s").get<double>();
    result.frameworkBytes = value("framework_bytes").get<double>();
    result.communicatorBytes = value("communicator_bytes").get<double>();
    if (values.contains("fragmentation_fraction")) result.fragmentationFraction = value("fragmentation_fraction").get<double>();
    result.gradientBucketBytes = value("gradient_bucket_bytes").get<double>();
    const auto given = [&](const char* key) { return values.contains(key); };
    if (given("attention_kernels")) result.attentionKernels = value("attention_kernels").get<std::vector<std::string>>();
    if (given("synchronous_launches")) result.synchronousLaunches = value("synchronous_launches").get<bool>();
    if (given("caching_allocator")) result.cachingAllocator = value("caching_allocator").get<bool>();
    if (given("workspace_bytes")) result.workspaceBytes = value("workspace_bytes").get<double>();
    if (given("bucket_elements_each_rank")) result.bucketElementsEachRank = value("bucket_elements_each_rank").get<double>();
    if (given("bucket_buffer_bytes")) result.bucketBufferBytes = value("bucket_buffer_bytes").get<double>();
    if (given("further_communicators")) result.furtherCommunicators = value("further_communicators").get<int>();
    if (given("keeps_stage_outputs")) result.keepsStageOutputs = value("keeps_stage_outputs").get<bool>();
    if (given("saves_quantised_inputs")) result.savesQuantisedInputs = value("saves_quantised_inputs").get<bool>();
    if (given("keeps_quantised_weights")) result.keepsQuantisedWeights = value("keeps_quantised_weights").get<bool>();
    if (given("replicates_embedding")) result.replicatesEmbedding = value("replicates_embedding").get<bool>();
    if (given("fp16_gradient_bytes")) result.fp16GradientBytes = value("fp16_gradient_bytes").get<double>();
    if (given("bf16_whole_master_bytes")) result.bf16WholeMasterBytes = value("bf16_whole_master_bytes").get<double>();
    if (given("kernels_as")) result.kernelsAs = value("kernels_as").get<std::string>();
    if (given("bucket_gradient_bytes")) result.bucketGradientBytes = value("bucket_gradient_bytes").get<double>();
    if (given("keeps_gathered_inputs")) result.keepsGatheredInputs = value("keeps_gathered_inputs").get<bool>();
    if (given("gathers_each_product")) result.gathersEachProduct = value("gathers_each_product").get<bool>();
    if (given("lays_out_gathers")) result.laysOutGathers = value("lays_out_gathers").get<bool>();
    if (given("separate_products")) result.separateProducts = value("separate_products").get<bool>();
    if (given("keeps_backward_gradients")) result.keepsBackwardGradients = value("keeps_backward_gradients").get<bool>();
    if (given("reduces_each_tensor")) result.reducesEachTensor = value("reduces_each_tensor").get<bool>();
    if (given("sharded_step_waits")) result.shardedStepWaits = value("sharded_step_waits").get<bool>();
    if (given("prefetches_weights")) result.prefetchesWeights = value("prefetches_weights").get<bool>();
    if (given("share_copy_us")) result.shareCopy = value("share_copy_us").get<double>() * units::microsecond;
    if (given("flattens_gathers")) result.flattensGathers = value("flattens_gathers").get<bool>();
    if (given("gathered_copy_bytes")) result.gatheredCopyBytes = value("gathered_copy_bytes").get<double>();
    if (given("gradient_copy_bytes")) result.gradientCopyBytes = value("gradient_copy_bytes").get<double>();
    if (given("loss_forward_bytes")) result.lossForwardBytes = value("loss_forward_bytes").get<double>();
    if (given("loss_backward_bytes")) result.lossBackwardBytes = value("loss_backward_bytes").get<double>();
    if (given("loss_kernel"))
        result.loss = meaning<LossKernel>(value("loss_kernel").get<std::string>(), {{"in_place_fp32", LossKernel::in_place_fp32},
                                                                                    {"copied_fp32", LossKernel::copied_fp32},
                                                                                    {"eager_fp32", LossKernel::eager_fp32},
                                                                                    {"eager_16_bit", LossKernel::eager_16_bit},
                                                                                    {"fused", LossKernel::fused}});
    if (given("selective_recompute"))
        result.selectiveRecompute = meaning<SelectiveRecompute>(
            value("selective_recompute").get<std::string>(),
            {{"attention_core", SelectiveRecompute::attention_core}, {"operators", SelectiveRecompute::operators}});
    if (given("copies_key_heads")) result.copiesKeyHeads = value("copies_key_heads").get<bool>();
    if (given("recompute_stops_early")) result.recomputeStopsEarly = value("recompute_stops_early").get<bool>();
    if (given("gathers_logits")) result.gathersLogits = value("gathers_logits").get<bool>();
    if (given("accumulates_whole_gradients")) result.accumulatesWholeGradients = value("accumulates_whole_gradients").get<bool>();
    if (given("keeps_gathered_in_pipeline")) result.keepsGatheredInPipeline = value("keeps_gathered_in_pipeline").get<bool>();
    if (given("caches_weight_gradients")) result.cachesWeightGradients = value("caches_weight_gradients").get<bool>();
    ServingProfile& serving = result.serving;
    if (given("front_end_ms")) serving.frontEnd = value("front_end_ms").get<double>() * 1e3 * units::microsecond;
    if (given("split_front_end_ms")) serving.splitFrontEnd = value("split_front_end_ms").get<double>() * 1e3 * units::microsecond;
    if (given("prompt_stretch")) serving.promptStretch = value("prompt_stretch").get<double>();
    if (given("step_host_us")) serving.stepHost = value("step_host_us").get<double>() * units::microsecond;
    if (given("sequence_host_us")) serving.sequenceHost = value("sequence_host_us").get<double>() * units::microsecond;
    if (given("overlaps_host")) serving.overlapsHost = value("overlaps_host").get<bool>();
    if (given("graph_launch_us")) serving.graphLaunch = value("graph_launch_us").get<double>() * units::microsecond;
    if (given("eager_launch_us")) serving.eagerLaunch = value("eager_launch_us").get<double>() * units::microsecond;
    if (given("launch_spread_us")) serving.launchSpread = value("launch_spread_us").get<double>() * units::microsecond;
    if (given("lean_routing")) serving.leanRouting = value("lean_routing").get<bool>();
    if (given("narrow_expert_us")) serving.narrowExpert = value("narrow_expert_us").get<double>() * units::microsecond;
    if (given("weight_only")) serving.weightOnly = value("weight_only").get<std::vector<std::string>>();
    if (given("grouped_heads")) serving.groupedHeads = value("grouped_heads").get<std::vector<int>>();
    if (given("largest_graph")) serving.largestGraph = value("largest_graph").get<int>();
    if (given("captures_prompts")) serving.capturesPrompts = value("captures_prompts").get<bool>();
    if (given("custom_all_reduce")) serving.customAllReduce = value("custom_all_reduce").get<bool>();
    if (given("fuses_residual")) serving.fusesResidual = value("fuses_residual").get<bool>();
    if (given("serves_any_heads")) serving.servesAnyHeads = value("serves_any_heads").get<bool>();
    if (given("joins_latent_downs")) serving.joinsLatentDowns = value("joins_latent_downs").get<bool>();
    if (given("shared_expert_beside_tokens")) serving.sharedBeside = value("shared_expert_beside_tokens").get<int>();
    if (given("fuses_rotary")) serving.fusesRotary = value("fuses_rotary").get<bool>();
    if (given("expandable_segments")) result.expandableSegments = value("expandable_segments").get<bool>();
    if (given("fp8_scaling"))
        result.tensorScaling = meaning<TensorScaling>(value("fp8_scaling").get<std::string>(),
                                                      {{"delayed", TensorScaling::delayed}, {"current", TensorScaling::current}});
    if (given("norms_quantise")) result.normsQuantise = value("norms_quantise").get<bool>();
    if (given("gathers_quantised")) result.gathersQuantised = value("gathers_quantised").get<bool>();
    if (given("quantised_parameters")) result.quantisedParameters = value("quantised_parameters").get<bool>();
    if (given("quantises_shards")) result.quantisesShards = value("quantises_shards").get<bool>();
    if (given("offloads_activations")) result.offloadsActivations = value("offloads_activations").get<bool>();
    if (given("recomputes_all_or_nothing")) result.recomputesAllOrNothing = value("recomputes_all_or_nothing").get<bool>();
    if (given("adapted_products")) result.adaptedProducts = value("adapted_products").get<std::vector<std::string>>();
    if (given("packed_document_tokens")) result.packedDocument = value("packed_document_tokens").get<int>();
    if (given("expert_exchange")) {
        result.experts.library = value("expert_exchange").get<std::string>();
        result.experts.exchange = result.experts.library == "all-to-all" ? ExpertExchange::rows : ExpertExchange::deduplicated;
    }
    if (given("expert_exchange_between_hosts")) result.experts.libraryBetweenHosts = value("expert_exchange_between_hosts").get<std::string>();
    if (given("overlaps_experts_between_domains")) result.experts.overlapsBetweenDomains = value("overlaps_experts_between_domains").get<bool>();
    if (given("graphs_hold_experts")) result.experts.inGraphs = value("graphs_hold_experts").get<bool>();
    if (given("expert_host_us")) result.expertHost = value("expert_host_us").get<double>() * units::microsecond;
    if (given("quantised_expert_host")) result.quantisedExpertHost = value("quantised_expert_host").get<double>();
    if (given("eager_expert_bias")) result.experts.eagerBias = value("eager_expert_bias").get<bool>();
    if (given("weighs_expert_outputs")) result.experts.weighsOutputs = value("weighs_expert_outputs").get<bool>();
    if (given("loops_expert_products")) result.experts.loopsProducts = value("loops_expert_products").get<bool>();
    if (given("expert_capacity_factor")) result.experts.capacityFactor = value("expert_capacity_factor").get<double>();
    if (given("pads_expert_capacity")) result.experts.padsCapacity = value("pads_expert_capacity").get<bool>();
    if (given("plans_memory")) result.plansMemory = value("plans_memory").get<bool>();
    if (given("eager_norm_bytes")) result.eagerNormBytes = value("eager_norm_bytes").get<double>();
    if (given("eager_norm_backward_bytes")) result.eagerNormBackwardBytes = value("eager_norm_backward_bytes").get<double>();
    if (given("eager_rotary_bytes")) result.eagerRotaryBytes = value("eager_rotary_bytes").get<double>();
    if (given("outruns_collectives")) result.outrunsCollectives = value("outruns_collectives").get<bool>();
    if (given("fills_chunks_first")) result.experts.fillsChunksFirst = value("fills_chunks_first").get<bool>();
    if (given("recompute_ladder")) result.experts.recomputeLadder = value("recompute_ladder").get<std::vector<std::vector<std::string>>>();
    result.citation = citation(record);
    return result;
}

} // namespace orrery::records
