// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/framework_profile.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/base/words.hpp"
#include "core/catalog/records.hpp"

#include <array>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace orrery {

template <> struct WordsOf<LossKernel> {
    static constexpr std::array table{Word<LossKernel>{LossKernel::in_place_fp32, "in_place_fp32"}, Word<LossKernel>{LossKernel::copied_fp32, "copied_fp32"},
                                      Word<LossKernel>{LossKernel::eager_fp32, "eager_fp32"}, Word<LossKernel>{LossKernel::eager_16_bit, "eager_16_bit"},
                                      Word<LossKernel>{LossKernel::fused, "fused"}};
};

template <> struct WordsOf<SelectiveRecompute> {
    static constexpr std::array table{Word<SelectiveRecompute>{SelectiveRecompute::attention_core, "attention_core"},
                                      Word<SelectiveRecompute>{SelectiveRecompute::operators, "operators"}};
};

template <> struct WordsOf<TensorScaling> {
    static constexpr std::array table{Word<TensorScaling>{TensorScaling::delayed, "delayed"}, Word<TensorScaling>{TensorScaling::current, "current"}};
};

namespace records {
namespace {

/// A value of a profile: its key in frameworks.json, and how it gets into the profile.
struct Field {
    const char* key;
    std::function<void(FrameworkProfile& profile, const Json& value)> read;
};

/// `member` gives the profile's member; `unit` is what one of the key's units is in ours.
template <typename Member> Field field(const char* key, Member member, double unit = 1) {
    using Value = std::remove_reference_t<std::invoke_result_t<Member, FrameworkProfile&>>;
    return {key, [member, unit, key](FrameworkProfile& profile, const Json& value) {
                if constexpr (std::is_same_v<Value, double>) {
                    member(profile) = value.get<double>() * unit;
                } else if constexpr (std::is_enum_v<Value>) {
                    const auto meant = fromText<Value>(value.get<std::string>());
                    if (!meant) throw std::runtime_error(std::string("frameworks.json: unknown word of ") + key + ": " + value.get<std::string>());
                    member(profile) = *meant;
                } else {
                    value.get_to(member(profile));
                }
            }};
}

#define ORRERY_MEMBER(member) \
    [](FrameworkProfile & profile) -> auto& { return profile.member; }

/// What every profile states.
const std::vector<Field>& requiredFields() {
    static const std::vector<Field> fields{
        field("flash_attention", ORRERY_MEMBER(flashAttention)),
        field("fused_softmax", ORRERY_MEMBER(fusedSoftmax)),
        field("fused_elementwise", ORRERY_MEMBER(fusedElementwise)),
        field("async_tensor_collectives", ORRERY_MEMBER(asyncTensorCollectives)),
        field("weight_bytes", ORRERY_MEMBER(weightBytes)),
        field("gathered_weight_bytes", ORRERY_MEMBER(gatheredWeightBytes)),
        field("gradient_bytes", ORRERY_MEMBER(gradientBytes)),
        field("optimizer_bytes", ORRERY_MEMBER(optimizerBytes)),
        field("gradient_reduce_bytes", ORRERY_MEMBER(gradientReduceBytes)),
        field("host_launch_us", ORRERY_MEMBER(hostLaunch), units::microsecond),
        field("iteration_overhead_s", ORRERY_MEMBER(iterationOverhead)),
        field("framework_bytes", ORRERY_MEMBER(frameworkBytes)),
        field("communicator_bytes", ORRERY_MEMBER(communicatorBytes)),
        field("gradient_bucket_bytes", ORRERY_MEMBER(gradientBucketBytes)),
    };
    return fields;
}

/// What a profile may state; else the member's own default holds.
const std::vector<Field>& furtherFields() {
    static const std::vector<Field> fields{
        field("fragmentation_fraction", ORRERY_MEMBER(fragmentationFraction)),
        field("attention_kernels", ORRERY_MEMBER(attentionKernels)),
        field("synchronous_launches", ORRERY_MEMBER(synchronousLaunches)),
        field("caching_allocator", ORRERY_MEMBER(cachingAllocator)),
        field("workspace_bytes", ORRERY_MEMBER(workspaceBytes)),
        field("bucket_elements_each_rank", ORRERY_MEMBER(bucketElementsEachRank)),
        field("bucket_buffer_bytes", ORRERY_MEMBER(bucketBufferBytes)),
        field("further_communicators", ORRERY_MEMBER(furtherCommunicators)),
        field("keeps_stage_outputs", ORRERY_MEMBER(keepsStageOutputs)),
        field("saves_quantised_inputs", ORRERY_MEMBER(savesQuantisedInputs)),
        field("keeps_quantised_weights", ORRERY_MEMBER(keepsQuantisedWeights)),
        field("replicates_embedding", ORRERY_MEMBER(replicatesEmbedding)),
        field("fp16_gradient_bytes", ORRERY_MEMBER(fp16GradientBytes)),
        field("bf16_whole_master_bytes", ORRERY_MEMBER(bf16WholeMasterBytes)),
        field("kernels_as", ORRERY_MEMBER(kernelsAs)),
        field("bucket_gradient_bytes", ORRERY_MEMBER(bucketGradientBytes)),
        field("keeps_gathered_inputs", ORRERY_MEMBER(keepsGatheredInputs)),
        field("gathers_each_product", ORRERY_MEMBER(gathersEachProduct)),
        field("lays_out_gathers", ORRERY_MEMBER(laysOutGathers)),
        field("separate_products", ORRERY_MEMBER(separateProducts)),
        field("keeps_backward_gradients", ORRERY_MEMBER(keepsBackwardGradients)),
        field("reduces_each_tensor", ORRERY_MEMBER(reducesEachTensor)),
        field("sharded_step_waits", ORRERY_MEMBER(shardedStepWaits)),
        field("prefetches_weights", ORRERY_MEMBER(prefetchesWeights)),
        field("share_copy_us", ORRERY_MEMBER(shareCopy), units::microsecond),
        field("flattens_gathers", ORRERY_MEMBER(flattensGathers)),
        field("gathered_copy_bytes", ORRERY_MEMBER(gatheredCopyBytes)),
        field("gradient_copy_bytes", ORRERY_MEMBER(gradientCopyBytes)),
        field("loss_forward_bytes", ORRERY_MEMBER(lossForwardBytes)),
        field("loss_backward_bytes", ORRERY_MEMBER(lossBackwardBytes)),
        field("copies_key_heads", ORRERY_MEMBER(copiesKeyHeads)),
        field("recompute_stops_early", ORRERY_MEMBER(recomputeStopsEarly)),
        field("gathers_logits", ORRERY_MEMBER(gathersLogits)),
        field("accumulates_whole_gradients", ORRERY_MEMBER(accumulatesWholeGradients)),
        field("keeps_gathered_in_pipeline", ORRERY_MEMBER(keepsGatheredInPipeline)),
        field("caches_weight_gradients", ORRERY_MEMBER(cachesWeightGradients)),
        field("expandable_segments", ORRERY_MEMBER(expandableSegments)),
        field("norms_quantise", ORRERY_MEMBER(normsQuantise)),
        field("gathers_quantised", ORRERY_MEMBER(gathersQuantised)),
        field("quantised_parameters", ORRERY_MEMBER(quantisedParameters)),
        field("quantises_shards", ORRERY_MEMBER(quantisesShards)),
        field("offloads_activations", ORRERY_MEMBER(offloadsActivations)),
        field("recomputes_all_or_nothing", ORRERY_MEMBER(recomputesAllOrNothing)),
        field("adapted_products", ORRERY_MEMBER(adaptedProducts)),
        field("packed_document_tokens", ORRERY_MEMBER(packedDocument)),
        field("expert_host_us", ORRERY_MEMBER(expertHost), units::microsecond),
        field("quantised_expert_host", ORRERY_MEMBER(quantisedExpertHost)),
        field("plans_memory", ORRERY_MEMBER(plansMemory)),
        field("eager_norm_bytes", ORRERY_MEMBER(eagerNormBytes)),
        field("eager_norm_backward_bytes", ORRERY_MEMBER(eagerNormBackwardBytes)),
        field("eager_rotary_bytes", ORRERY_MEMBER(eagerRotaryBytes)),
        field("outruns_collectives", ORRERY_MEMBER(outrunsCollectives)),
        field("loss_kernel", ORRERY_MEMBER(loss)),
        field("selective_recompute", ORRERY_MEMBER(selectiveRecompute)),
        field("fp8_scaling", ORRERY_MEMBER(tensorScaling)),
        field("expert_exchange", ORRERY_MEMBER(experts.library)),
        field("expert_exchange_between_hosts", ORRERY_MEMBER(experts.libraryBetweenHosts)),
        field("overlaps_experts_between_domains", ORRERY_MEMBER(experts.overlapsBetweenDomains)),
        field("graphs_hold_experts", ORRERY_MEMBER(experts.inGraphs)),
        field("eager_expert_bias", ORRERY_MEMBER(experts.eagerBias)),
        field("weighs_expert_outputs", ORRERY_MEMBER(experts.weighsOutputs)),
        field("loops_expert_products", ORRERY_MEMBER(experts.loopsProducts)),
        field("expert_capacity_factor", ORRERY_MEMBER(experts.capacityFactor)),
        field("pads_expert_capacity", ORRERY_MEMBER(experts.padsCapacity)),
        field("fills_chunks_first", ORRERY_MEMBER(experts.fillsChunksFirst)),
        field("recompute_ladder", ORRERY_MEMBER(experts.recomputeLadder)),
        field("front_end_ms", ORRERY_MEMBER(serving.frontEnd), 1e3 * units::microsecond),
        field("split_front_end_ms", ORRERY_MEMBER(serving.splitFrontEnd), 1e3 * units::microsecond),
        field("prompt_stretch", ORRERY_MEMBER(serving.promptStretch)),
        field("step_host_us", ORRERY_MEMBER(serving.stepHost), units::microsecond),
        field("sequence_host_us", ORRERY_MEMBER(serving.sequenceHost), units::microsecond),
        field("overlaps_host", ORRERY_MEMBER(serving.overlapsHost)),
        field("graph_launch_us", ORRERY_MEMBER(serving.graphLaunch), units::microsecond),
        field("eager_launch_us", ORRERY_MEMBER(serving.eagerLaunch), units::microsecond),
        field("launch_spread_us", ORRERY_MEMBER(serving.launchSpread), units::microsecond),
        field("lean_routing", ORRERY_MEMBER(serving.leanRouting)),
        field("narrow_expert_us", ORRERY_MEMBER(serving.narrowExpert), units::microsecond),
        field("weight_only", ORRERY_MEMBER(serving.weightOnly)),
        field("grouped_heads", ORRERY_MEMBER(serving.groupedHeads)),
        field("largest_graph", ORRERY_MEMBER(serving.largestGraph)),
        field("captures_prompts", ORRERY_MEMBER(serving.capturesPrompts)),
        field("custom_all_reduce", ORRERY_MEMBER(serving.customAllReduce)),
        field("fuses_residual", ORRERY_MEMBER(serving.fusesResidual)),
        field("serves_any_heads", ORRERY_MEMBER(serving.servesAnyHeads)),
        field("joins_latent_downs", ORRERY_MEMBER(serving.joinsLatentDowns)),
        field("shared_expert_beside_tokens", ORRERY_MEMBER(serving.sharedBeside)),
        field("fuses_rotary", ORRERY_MEMBER(serving.fusesRotary)),
    };
    return fields;
}

#undef ORRERY_MEMBER

/// The fields by their keys.
const std::unordered_map<std::string_view, const Field*>& fieldsByKey() {
    static const auto byKey = [] {
        std::unordered_map<std::string_view, const Field*> known;
        for (const std::vector<Field>* fields : {&requiredFields(), &furtherFields()})
            for (const Field& field : *fields) known.emplace(field.key, &field);
        return known;
    }();
    return byKey;
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
    for (const auto& [key, entry] : record.at("values").items()) {
        const auto known = fieldsByKey().find(key);
        if (known == fieldsByKey().end()) throw std::runtime_error("frameworks.json: " + result.id + " states " + key + ", which no profile has");
        known->second->read(result, entry.at("value"));
        result.sources[key] = entry.at("source").get<std::string>();
    }
    for (const Field& field : requiredFields())
        if (!result.sources.contains(field.key)) throw std::runtime_error("frameworks.json: " + result.id + " lacks " + field.key);
    if (result.sources.contains("expert_exchange")) result.experts.exchange = result.experts.library == "all-to-all" ? ExpertExchange::rows : ExpertExchange::deduplicated;
    result.citation = citation(record);
    return result;
}

} // namespace records
} // namespace orrery
