// SPDX-License-Identifier: GPL-3.0-or-later
// Plans that cannot be: each is refused with its reason at the key to blame, and with the nearest plan that works: the edits that
// come with the refusal, applied to the document, give a scenario that reads and runs. Reasons are checked by the numbers in them.
#include "core/base/json.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <set>

namespace orrery {
namespace {

using Changes = std::vector<std::pair<std::string, Json>>;

struct ImpossiblePlan {
    const char* name;
    Json base;
    Changes changes;
    const char* code;
    const char* pointer;
    std::vector<std::string> reason; ///< words of the message
};

Json dense() { return test::soundDocument(); } // Llama-3.1-70B: 80 layers, 64 heads, 8 key-value heads; 64 H100, tensor 8, pipeline 2

Json mixture() {
    Json document = test::soundDocument();
    document["model"] = {{"preset", "mixtral-8x7b"}}; // 32 layers, 8 experts of width 14336
    document["parallelism"] = {{"tensor", 2}, {"pipeline", 2}, {"sequence", true}, {"expert", 4}, {"zero_stage", 1}};
    return document;
}

Json small(int heads, int kvHeads, int ffn, int layers) {
    Json document = test::soundDocument();
    document["model"] = {{"config",
                          {{"model_type", "llama"}, {"num_hidden_layers", layers}, {"hidden_size", heads * 64}, {"intermediate_size", ffn}, {"num_attention_heads", heads}, {"num_key_value_heads", kvHeads}, {"vocab_size", 32000}, {"max_position_embeddings", 8192}}}};
    document["parallelism"] = {{"tensor", 4}, {"pipeline", 2}};
    return document;
}

const char* tensorAt = "/parallelism/tensor";
const char* pipelineAt = "/parallelism/pipeline";
const char* chunksAt = "/parallelism/virtual_pipeline";
const char* scheduleAt = "/parallelism/schedule";
const char* layoutAt = "/parallelism/pipeline_layout";
const char* contextAt = "/parallelism/context";
const char* expertAt = "/parallelism/expert";
const char* expertTensorAt = "/parallelism/expert_tensor";
const char* groupAt = "/parallelism/shard_group";
const char* globalAt = "/workload/global_batch_size";
const char* microAt = "/workload/micro_batch_size";
const char* precisionAt = "/workload/precision";

std::vector<ImpossiblePlan> impossiblePlans() {
    return {
        // Tensor
        {"heads that tensor ranks cannot share", dense(), {{tensorAt, 7}}, "tensor-heads", tensorAt, {"7 tensor ranks", "64 attention heads"}},
        {"more tensor ranks than heads", dense(), {{tensorAt, 128}, {"/cluster/nodes", 64}, {pipelineAt, 1}}, "tensor-heads", tensorAt, {"128", "64"}},
        {"key-value heads that are neither shared nor repeated", small(24, 6, 4096, 8), {}, "tensor-key-value-heads", tensorAt, {"4 tensor ranks", "6"}},
        {"a feed-forward that does not split", small(24, 24, 4094, 8), {}, "tensor-feed-forward", tensorAt, {"4094"}},
        {"tokens that sequence parallelism cannot split", dense(), {{"/workload/sequence_length", 8190}}, "sequence-not-divisible", "/parallelism/sequence", {"8190", "8"}},
        // Ranks
        {"more ranks than accelerators, by stages", dense(), {{pipelineAt, 16}}, "too-many-ranks", pipelineAt, {"128", "64"}},
        {"more ranks than accelerators, by context", dense(), {{contextAt, 16}}, "too-many-ranks", contextAt, {"256", "64"}},
        {"a cluster that shrank", dense(), {{"/cluster/nodes", 1}}, "too-many-ranks", pipelineAt, {"16", "8 accelerators"}},
        {"ranks that do not divide the cluster", dense(), {{pipelineAt, 5}}, "ranks-not-divisible", pipelineAt, {"40", "64"}},
        {"a cluster of odd size", dense(), {{"/cluster/nodes", 7}}, "ranks-not-divisible", pipelineAt, {"16", "56"}},
        {"another data than the ranks leave", dense(), {{"/parallelism/data", 8}}, "data-mismatch", "/parallelism/data", {"8", "4"}},
        {"an order without data", dense(), {{"/parallelism/order", "tp-pp"}}, "unknown-order", "/parallelism/order", {"tp-pp"}},
        {"an order that names a dimension twice", dense(), {{"/parallelism/order", "tp-tp-cp-ep-dp-pp"}}, "unknown-order", "/parallelism/order", {"once"}},
        {"data-parallel attention in training", dense(), {{"/parallelism/attention_data", 2}}, "not-supported-yet", "/parallelism/attention_data", {"training"}},
        // Batch
        {"a global batch that does not split", dense(), {{globalAt, 130}}, "batch-not-divisible", globalAt, {"130", "4"}},
        {"fewer sequences than replicas", dense(), {{globalAt, 2}}, "batch-not-divisible", globalAt, {"2 sequences", "4"}},
        {"a micro-batch that does not divide", dense(), {{microAt, 3}}, "batch-not-divisible", microAt, {"128", "12"}},
        {"a micro-batch larger than the batch", dense(), {{microAt, 256}}, "batch-not-divisible", microAt, {"256"}},
        // Pipeline
        {"more stages than layers", small(24, 24, 4096, 3), {{pipelineAt, 8}}, "too-few-layers", pipelineAt, {"8", "3 layers"}},
        {"more chunks than layers", dense(), {{chunksAt, 42}}, "too-few-layers", chunksAt, {"84", "80"}},
        {"chunks on one stage", dense(), {{pipelineAt, 1}, {chunksAt, 2}}, "chunks-without-pipeline", chunksAt, {"2 chunks"}},
        {"chunks of gpipe", dense(), {{chunksAt, 2}, {scheduleAt, "gpipe"}}, "chunks-not-interleaved", scheduleAt, {"gpipe", "2"}},
        {"chunks of 1f1b", dense(), {{chunksAt, 2}, {scheduleAt, "1f1b"}}, "chunks-not-interleaved", scheduleAt, {"1f1b"}},
        {"chunks of zb-h1", dense(), {{chunksAt, 2}, {scheduleAt, "zb-h1"}}, "chunks-not-interleaved", scheduleAt, {"zb-h1"}},
        {"chunks of dualpipe", dense(), {{chunksAt, 2}, {scheduleAt, "dualpipe"}}, "chunks-not-interleaved", scheduleAt, {"dualpipe"}},
        {"interleaving incomplete groups", dense(), {{chunksAt, 2}, {globalAt, 124}}, "interleaved-micro-batches", chunksAt, {"31", "2 stages"}},
        {"zb-v with three chunks", dense(), {{chunksAt, 3}, {scheduleAt, "zb-v"}}, "zb-v-chunks", chunksAt, {"2 chunks", "3"}},
        {"zb-v with one chunk", dense(), {{chunksAt, 1}, {scheduleAt, "zb-v"}}, "zb-v-chunks", chunksAt, {"1"}},
        {"zb-v on one stage", dense(), {{pipelineAt, 1}, {scheduleAt, "zb-v"}}, "chunks-without-pipeline", chunksAt, {"1"}},
        {"dualpipe on an odd number of stages", dense(), {{tensorAt, 4}, {"/cluster/nodes", 6}, {pipelineAt, 3}, {globalAt, 96}, {scheduleAt, "dualpipe"}}, "schedule-shape", scheduleAt, {"even", "3"}},
        {"dualpipe with too few micro-batches", dense(), {{pipelineAt, 8}, {globalAt, 8}, {scheduleAt, "dualpipe"}}, "schedule-shape", scheduleAt, {"16", "8"}},
        {"dualpipe with an odd number of micro-batches", dense(), {{globalAt, 36}, {scheduleAt, "dualpipe"}}, "schedule-shape", scheduleAt, {"9"}},
        {"a layout of the wrong length", dense(), {{layoutAt, {40, 20, 20}}}, "layout-length", layoutAt, {"3 chunks", "2"}},
        {"a layout with too many layers", dense(), {{layoutAt, {40, 41}}}, "layout-sum", layoutAt, {"81", "80"}},
        {"a layout with too few layers", dense(), {{layoutAt, {40, 39}}}, "layout-sum", layoutAt, {"79", "80"}},
        {"a layout with an empty chunk", dense(), {{pipelineAt, 4}, {layoutAt, {40, 0, 0, 40}}}, "layout-empty-chunk", layoutAt, {"Chunk 1"}},
        // Context
        {"a sequence that context cannot split", dense(), {{contextAt, 4}, {"/workload/sequence_length", 8188}, {"/parallelism/sequence", false}}, "context-not-divisible", contextAt, {"8188", "8"}},
        {"fewer heads than ranks that exchange them", dense(), {{"/model", {{"preset", "qwen2.5-32b"}}}, {contextAt, 2}, {"/parallelism/context_method", "all_to_all"}}, "context-heads", "/parallelism/context_method", {"2", "5"}},
        // Experts
        {"experts of a dense model", dense(), {{expertAt, 2}}, "expert-not-divisible", expertAt, {"no experts"}},
        {"matrices of a dense model's experts", dense(), {{expertTensorAt, 2}}, "expert-tensor-not-divisible", expertTensorAt, {"no experts"}},
        {"experts that do not split", mixture(), {{expertAt, 3}}, "expert-not-divisible", expertAt, {"8 experts", "3"}},
        {"more ranks than experts", mixture(), {{expertAt, 16}}, "expert-not-divisible", expertAt, {"8 experts", "16"}},
        {"an expert group larger than a stage", mixture(), {{expertAt, 8}, {expertTensorAt, 8}}, "expert-tensor-not-divisible", expertTensorAt, {"8", "32"}},
        {"an expert's width that does not split", mixture(), {{expertTensorAt, 3}}, "expert-tensor-not-divisible", expertTensorAt, {"3", "14336"}},
        {"a capacity of a dense model's experts", dense(), {{"/execution/moe_dispatch", {{"capacity_factor", 1.25}}}}, "no-experts", "/execution/moe_dispatch", {"no experts"}},
        {"a load of a dense model's experts", dense(), {{"/execution/expert_load", {{"zipf", 1}}}}, "no-experts", "/execution/expert_load", {"no experts"}},
        {"a histogram of too few experts", mixture(), {{"/execution/expert_load", {{"histogram", {1, 2, 3}}}}}, "histogram-length", "/execution/expert_load/histogram", {"3", "8 experts"}},
        {"a histogram without load", mixture(), {{"/execution/expert_load", {{"histogram", {0, 0, 0, 0, 0, 0, 0, 0}}}}}, "histogram-empty", "/execution/expert_load/histogram", {"load"}},
        // Sharding
        {"a shard group that does not divide", dense(), {{"/parallelism/zero_stage", 3}, {groupAt, 3}}, "shard-group-not-divisible", groupAt, {"3 ranks", "4 ranks"}},
        {"a shard group larger than the replicas", dense(), {{"/parallelism/zero_stage", 3}, {groupAt, 8}}, "shard-group-not-divisible", groupAt, {"8 ranks", "4 ranks"}},
        // Precision, adapters, recomputation
        {"fp8 on an A100", dense(), {{"/cluster/accelerator", "a100-sxm4-80gb"}, {precisionAt, "fp8"}}, "precision-not-on-accelerator", precisionAt, {"A100", "fp8"}},
        {"mxfp8 on an A100", dense(), {{"/cluster/accelerator", "a100-sxm4-80gb"}, {precisionAt, "mxfp8"}}, "precision-not-on-accelerator", precisionAt, {"A100", "fp8"}},
        {"mxfp8 on an H100", dense(), {{precisionAt, "mxfp8"}}, "precision-not-on-accelerator", precisionAt, {"H100", "blocks"}},
        {"FlashAttention-3 on an A100", dense(), {{"/cluster/accelerator", "a100-sxm4-80gb"}, {"/execution/attention", "fa3"}}, "attention-not-on-accelerator", "/execution/attention", {"A100", "Hopper"}},
        {"FlashAttention-4 on an H100", dense(), {{"/execution/attention", "fa4"}}, "attention-not-on-accelerator", "/execution/attention", {"H100", "Blackwell"}},
        {"cuDNN on an MI300X", dense(), {{"/cluster/accelerator", "mi300x"}, {"/execution/attention", "cudnn"}}, "attention-not-on-accelerator", "/execution/attention", {"MI300X", "NVIDIA"}},
        {"8-bit attention on an A100", dense(), {{"/cluster/accelerator", "a100-sxm4-80gb"}, {"/execution/attention_precision", "fp8"}}, "attention-not-in-8-bit", "/execution/attention_precision", {"A100", "fp8"}},
        {"8-bit attention by FlashAttention-2", dense(), {{"/execution/attention", "fa2"}, {"/execution/attention_precision", "fp8"}}, "attention-not-in-8-bit", "/execution/attention_precision", {"fa2", "8 bit"}},
        {"nvfp4 on an H100", dense(), {{precisionAt, "nvfp4"}}, "precision-not-on-accelerator", precisionAt, {"H100", "fp4"}},
        {"bf16 on a V100", dense(), {{"/cluster/accelerator", "v100-sxm2-32gb"}}, "precision-not-on-accelerator", precisionAt, {"V100", "bf16"}},
        {"an fp8 recipe in bf16", dense(), {{"/workload/fp8_recipe", "block"}}, "recipe-without-fp8", "/workload/fp8_recipe", {"bf16"}},
        {"an fp8 recipe for mxfp8", dense(), {{"/cluster/accelerator", "b200-sxm-180gb"}, {precisionAt, "mxfp8"}, {"/workload/fp8_recipe", "tensorwise"}}, "recipe-without-fp8", "/workload/fp8_recipe", {"mxfp8"}},
        {"adapters as wide as the model", dense(), {{"/workload/task", "lora"}, {"/workload/lora_rank", 8192}}, "lora-rank-too-large", "/workload/lora_rank", {"8192"}},
        {"documents longer than their sequence", dense(), {{"/workload/document_length", 8193}}, "document-longer-than-sequence", "/workload/document_length", {"8193", "8192"}},
        {"every layer beyond the last", dense(), {{"/execution/recompute", {{"every", 81}}}}, "recompute-beyond-layers", "/execution/recompute/every", {"81", "80"}},
        {"a module that no layer has", dense(), {{"/execution/recompute", {{"modules", {"core_attn", "mpl"}}}}}, "unknown-module", "/execution/recompute/modules/1", {"mpl"}},
        {"a pass that is none", dense(), {{"/execution/passes", {{"sequense", false}}}}, "unknown-key", "/execution/passes/sequense", {"sequense"}},
        // Names and what-ifs
        {"a straggler beyond the last rank", dense(), {{"/execution/stragglers", {{{"rank", 64}, {"slowdown", 1.5}}}}}, "out-of-range", "/execution/stragglers/0/rank", {"64"}},
        {"an accelerator that is none", dense(), {{"/cluster/accelerator", "h100-sxm-80gb"}}, "unknown-accelerator", "/cluster/accelerator", {"h100-sxm-80gb"}},
        {"a schedule that is none", dense(), {{scheduleAt, "zb-h2"}}, "unknown-value", scheduleAt, {"schedule"}},
    };
}

Json documentOf(const ImpossiblePlan& plan) {
    Json document = plan.base;
    for (const auto& [pointer, value] : plan.changes) document[Json::json_pointer(pointer)] = value;
    return document;
}

TEST(ImpossiblePlans, AreRefusedWithReasonAndTheNearestPlanThatWorks) {
    const std::vector<ImpossiblePlan> plans = impossiblePlans();
    EXPECT_GE(plans.size(), 40U);
    std::set<std::string> names, codes;
    for (const ImpossiblePlan& plan : plans) {
        SCOPED_TRACE(plan.name);
        EXPECT_TRUE(names.insert(plan.name).second);
        codes.insert(plan.code);
        const Json document = documentOf(plan);
        const ScenarioReading reading = test::read(document);
        EXPECT_FALSE(reading.scenario);
        Problems errors;
        std::copy_if(reading.problems.begin(), reading.problems.end(), std::back_inserter(errors),
                     [](const Problem& problem) { return problem.severity == Severity::error; });
        ASSERT_EQ(errors.size(), 1U) << "one mistake, one error:\n"
                                     << test::listed(reading.problems);
        const Problem& problem = errors.front();
        EXPECT_EQ(problem.code, plan.code) << problem.message;
        EXPECT_EQ(problem.pointer, plan.pointer) << problem.message;
        for (const std::string& words : plan.reason) EXPECT_NE(problem.message.find(words), std::string::npos) << problem.message << " lacks " << words;
        EXPECT_FALSE(problem.mend.empty());
        ASSERT_FALSE(problem.edits.empty()) << problem.message << problem.mend;
        const Json mended = test::mended(document, problem);
        const ScenarioReading again = test::read(mended);
        ASSERT_TRUE(again.scenario) << problem.mend << "\nthen:\n"
                                    << test::listed(again.problems);
        const Outcome outcome = simulate(*again.scenario);
        ASSERT_TRUE(outcome.result) << problem.mend << "\nthen:\n"
                                    << test::listed(outcome.problems);
        EXPECT_GT(outcome.result->training()->iterationTime, 0);
    }
    EXPECT_GE(codes.size(), 25U) << "too few kinds of reasons";
}

} // namespace
} // namespace orrery
