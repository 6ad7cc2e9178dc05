// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/exchange/import/import_checks.hpp"
#include "tests/core/exchange/import/import_inputs.hpp"

namespace orrery {
namespace {

/// A dense run whose options can be added to; 8 accelerators.
std::string dense(const std::string& more) {
    return "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
           "--micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 " +
           more;
}
const std::string llamaLike = "--swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope "
                              "--untie-embeddings-and-output-weights --ffn-hidden-size 11008 --hidden-dropout 0 --attention-dropout 0 ";

TEST(MegatronImport, Gpt3HasItsPublishedSizeAndPlan) {
    const Import imported = importCommandLine(inputs::gpt3, {.fileName = "gpt3.sh"});
    ASSERT_TRUE(imported.scenario);
    const Scenario scenario = soundScenario(*imported.scenario);
    EXPECT_NEAR(scenario.model.parameters(), 175e9, 0.005 * 175e9);
    EXPECT_EQ(scenario.parallelism.tensor, 8);
    EXPECT_EQ(scenario.parallelism.pipeline, 16);
    EXPECT_EQ(scenario.training().globalBatch, 1536);
    EXPECT_EQ(scenario.precision(), Precision::fp16);
    EXPECT_EQ(scenario.model.vocabulary, 51200) << "50257 rows padded to a multiple of 128 × 8 tensor ranks";
    EXPECT_DOUBLE_EQ(scenario.economics.tokensTotal.value_or(0), 500000.0 * 1536 * 2048);
    // The published script starts 8 processes for 128 ranks: said, and mended.
    EXPECT_EQ(scenario.cluster.accelerators(), 128);
    EXPECT_EQ(mentions(imported.problems, "cluster-does-not-fit", "128"), 1);
    EXPECT_EQ(mentions(imported.problems, "assumed", "h100-sxm5-80gb"), 1);
}

TEST(MegatronImport, WhatASimulationDoesNotNeedIsListedWithItsLine) {
    const Import imported = importCommandLine(inputs::gpt3, {.fileName = "gpt3.sh"});
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", ""), 0);
    const std::string text = inputs::gpt3;
    const auto lineOf = [&](const std::string& option) { return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(option)), '\n')) + 1; };
    for (const char* option : {"--save", "--eval-iters", "--lr 6", "--init-method-std", "--split", "--rampup-batch-size", "--master_port"})
        EXPECT_EQ(mentions(imported.problems, "option-ignored", option, lineOf(option)), 1) << option;
}

TEST(MegatronImport, UnknownOptionsAreAllListed) {
    const Import imported = importCommandLine(dense("\\\n --frobnicate 3 \\\n --micro-bach-size 4 --no-such-thing"), {.fileName = "x.sh"});
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", ""), 3);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "--frobnicate 3", 2), 1);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "--micro-bach-size", 3), 1);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "--no-such-thing", 3), 1);
    const auto near = std::find_if(imported.problems.begin(), imported.problems.end(), [](const Problem& p) { return p.message.find("bach") != std::string::npos; });
    EXPECT_NE(near->mend.find("--micro-batch-size"), std::string::npos);
}

TEST(MegatronImport, Llama3InFp8) {
    const Json s = scenarioOf(inputs::llama3Fp8);
    EXPECT_EQ(at(s, "/workload/precision"), "fp8") << "the script's condition holds";
    EXPECT_EQ(at(s, "/workload/gradient_precision"), "bf16");
    EXPECT_EQ(at(s, "/model/config/model_type"), "megatron_gpt") << "the script states no --normalization, and Megatron's own is a layer norm, which no Llama has";
    EXPECT_EQ(at(s, "/model/config/num_query_groups"), 8);
    EXPECT_EQ(at(s, "/model/config/vocab_size"), 128384) << "128256 and NullTokenizer's end of document, padded to 128";
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 1);
    EXPECT_EQ(at(s, "/execution/overlap/data"), true);
    EXPECT_EQ(at(s, "/execution/attention"), "flash");
    EXPECT_EQ(at(s, "/cluster/nodes"), 1);
    EXPECT_DOUBLE_EQ(at(s, "/economics/tokens_total").get<double>(), 1953125000.0 * 8192);
    EXPECT_NEAR(soundScenario(s).model.parameters(), 8.03e9, 0.01 * 8.03e9);
}

TEST(MegatronImport, BloomHasItsPublishedSizeAndPlan) {
    const Import imported = importCommandLine(inputs::bloom, {.accelerator = "a100-sxm4-80gb", .fileName = "tr11.slurm"});
    ASSERT_TRUE(imported.scenario);
    const Scenario scenario = soundScenario(*imported.scenario);
    EXPECT_NEAR(scenario.model.parameters(), 176.247e9, 1e8);
    EXPECT_EQ(scenario.cluster.accelerators(), 384);
    EXPECT_EQ(scenario.parallelism.data, 8);
    EXPECT_EQ(scenario.parallelism.zeroStage, 1) << "the bf16 optimizer splits its states at stage 0";
    EXPECT_EQ(scenario.execution.recompute, RecomputeKind::full);
    EXPECT_EQ(scenario.execution.profile.id, "megatron-deepspeed-2022");
    EXPECT_EQ(scenario.parallelism.layout, (std::vector<int>{5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5})) << "embedding and loss count as a layer each";
    EXPECT_DOUBLE_EQ(scenario.economics.tokensTotal.value_or(0), 220e6 * 2048);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", ""), 0);
}

TEST(MegatronImport, DeepSpeedsConfigurationIsMerged) {
    const Import imported = importCommandLine(inputs::deepSpeedLlama, {.fileName = "llama2.sh"});
    ASSERT_TRUE(imported.scenario);
    const Scenario scenario = soundScenario(*imported.scenario);
    EXPECT_EQ(scenario.training().globalBatch, 32);
    EXPECT_EQ(scenario.training().microBatch, 4);
    EXPECT_EQ(scenario.precision(), Precision::bf16);
    EXPECT_EQ(scenario.parallelism.zeroStage, 1);
    EXPECT_EQ(scenario.model.kvHeads, 4);
    EXPECT_EQ(scenario.model.ffn, 5504);
    EXPECT_EQ(scenario.execution.recompute, RecomputeKind::none);
    EXPECT_EQ(mentions(imported.problems, "variable-not-set", "$WANDB_ARGS"), 1);
}

TEST(MegatronImport, DeepSeekV3) {
    const Json s = scenarioOf(inputs::deepSeek);
    const Json& c = s["model"]["config"];
    EXPECT_EQ(c["model_type"], "deepseek_v3");
    EXPECT_EQ(c["vocab_size"], 129280);
    EXPECT_EQ(c["q_lora_rank"], 1536);
    EXPECT_EQ(c["kv_lora_rank"], 512);
    EXPECT_EQ(c["first_k_dense_replace"], 3);
    EXPECT_EQ(c["n_routed_experts"], 256);
    EXPECT_EQ(c["n_shared_experts"], 1);
    EXPECT_EQ(c["num_experts_per_tok"], 8);
    EXPECT_EQ(c["moe_intermediate_size"], 2048);
    EXPECT_EQ(c["num_nextn_predict_layers"], 1);
    EXPECT_EQ(at(s, "/parallelism/expert"), 64);
    EXPECT_EQ(at(s, "/parallelism/expert_tensor"), Json());
    EXPECT_EQ(at(s, "/cluster/nodes"), 256);
    EXPECT_EQ(at(s, "/execution/recompute/modules"), Json::array({"mla_up_proj", "layernorm"}));
    Problems problems;
    const auto model = importArchitecture(c, "", problems);
    ASSERT_TRUE(model);
    EXPECT_NEAR(model->parameters(), 671.03e9, 0.03 * 671.03e9) << "with or without the layers of multi-token prediction";
}

TEST(MegatronImport, MixtralsExperts) {
    const Json s = scenarioOf(dense(llamaLike + "--ffn-hidden-size 14336 --group-query-attention --num-query-groups 8 --num-experts 8 --moe-router-topk 2 --expert-model-parallel-size 8 "
                                                "--moe-expert-capacity-factor 1.5 --overlap-moe-expert-parallel-comm"));
    EXPECT_EQ(at(s, "/model/config/model_type"), "mixtral");
    EXPECT_NEAR(soundScenario(s).model.parameters(), 46.7e9, 0.001 * 46.7e9) << "Mixtral 8x7B";
    EXPECT_EQ(at(s, "/model/config/num_local_experts"), 8);
    EXPECT_EQ(at(s, "/model/config/num_experts_per_tok"), 2);
    EXPECT_EQ(at(s, "/parallelism/expert"), 8);
    EXPECT_EQ(at(s, "/execution/moe_dispatch/capacity_factor"), 1.5);
    EXPECT_EQ(at(s, "/execution/overlap/expert"), true);
}

TEST(MegatronImport, ModelFamilyFollowsTheLayers) {
    const auto type = [](const std::string& more) { return at(scenarioOf(dense(more)), "/model/config/model_type"); };
    EXPECT_EQ(type(""), "gpt2");
    EXPECT_EQ(type(llamaLike), "llama");
    EXPECT_EQ(type(llamaLike + "--add-qkv-bias"), "qwen2");
    EXPECT_EQ(type(llamaLike + "--qk-layernorm"), "qwen3");
    EXPECT_EQ(type("--position-embedding-type rope"), "gpt_neox");
    EXPECT_EQ(type("--position-embedding-type alibi --embed-layernorm"), "bloom");
    const Scenario scenario = soundScenario(scenarioOf(dense(llamaLike)));
    EXPECT_NEAR(scenario.model.parameters(), 6.738e9, 0.001 * 6.738e9) << "Llama 2 7B";
}

TEST(MegatronImport, DropoutOfTheHiddenStateIsKept) {
    EXPECT_EQ(soundScenario(scenarioOf(dense(llamaLike + "--hidden-dropout 0.1"))).model.hiddenDropout, 0.1);
    EXPECT_EQ(at(scenarioOf(dense(llamaLike)), "/model/config/model_type"), "llama");
}

/// Each choice of Megatron's counts by itself: the arithmetic of 12 combinations, matrices, norms and biases written out.
TEST(MegatronImport, LayersThatNoFamilyHasAreReadAsTheyAre) {
    const double layers = 32, hidden = 6144, ffn = 24576, vocabulary = 256000, keyValues = 8 * 128.0;
    for (const bool gated : {false, true})
        for (const bool rms : {false, true})
            for (const bool grouped : {false, true}) {
                const std::string flags = std::string("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 6144 --ffn-hidden-size 24576 --num-attention-heads 48 "
                                                      "--position-embedding-type rope --untie-embeddings-and-output-weights --disable-bias-linear --seq-length 4096 --micro-batch-size 1 "
                                                      "--global-batch-size 64 --bf16 --tensor-model-parallel-size 8 --vocab-size 256000 --attention-dropout 0 --hidden-dropout 0 ") +
                                          (gated ? "--swiglu " : "--squared-relu ") + (rms ? "--normalization RMSNorm " : "") +
                                          (grouped ? "--group-query-attention --num-query-groups 8" : "");
                SCOPED_TRACE(flags);
                const Import imported = importCommandLine(flags);
                EXPECT_EQ(mentions(imported.problems, "model-approximated", ""), 0);
                const double norm = rms ? hidden : 2 * hidden;
                const double attention = 2 * hidden * hidden + 2 * hidden * (grouped ? keyValues : hidden);
                const double count = layers * (attention + (gated ? 3 : 2) * hidden * ffn + 2 * norm) + norm + 2 * vocabulary * hidden;
                EXPECT_EQ(soundScenario(scenarioOf(flags)).model.parameters(), count);
            }
}

TEST(MegatronImport, ExpertsWithoutAGateAndWithASharedOneOfAnyWidth) {
    const Json s = scenarioOf(dense("--squared-relu --position-embedding-type rope --normalization RMSNorm --disable-bias-linear --num-experts 16 --moe-router-topk 4 --moe-ffn-hidden-size 1024 "
                                    "--moe-shared-expert-intermediate-size 1536 --moe-layer-freq 2"));
    EXPECT_EQ(at(s, "/model/config/model_type"), "megatron_gpt");
    const Architecture model = soundScenario(s).model;
    ASSERT_TRUE(model.experts);
    EXPECT_FALSE(model.gatedMlp);
    EXPECT_EQ(model.experts->sharedFfn, 1536);
    EXPECT_TRUE(model.kindOf(0).experts);
    EXPECT_FALSE(model.kindOf(1).experts) << "every second layer has experts";
}

TEST(MegatronImport, PipelineChunksAndLayouts) {
    const auto import = [](const std::string& more) { return scenarioOf(dense("--pipeline-model-parallel-size 4 " + more)); };
    EXPECT_EQ(at(import("--num-layers-per-virtual-pipeline-stage 2"), "/parallelism/virtual_pipeline"), 4);
    EXPECT_EQ(at(import("--num-virtual-stages-per-pipeline-rank 2"), "/parallelism/virtual_pipeline"), 2);
    EXPECT_EQ(at(import(""), "/parallelism/virtual_pipeline"), Json());
    EXPECT_EQ(at(import("--decoder-first-pipeline-num-layers 7 --decoder-last-pipeline-num-layers 5"), "/parallelism/pipeline_layout"), Json::array({7, 10, 10, 5}));
    EXPECT_EQ(at(import("--no-overlap-p2p-communication"), "/execution/overlap/pipeline"), false);
}

TEST(MegatronImport, Recomputation) {
    const auto recompute = [](const std::string& more) { return at(scenarioOf(dense(more)), "/execution/recompute"); };
    EXPECT_EQ(recompute(""), "none");
    EXPECT_EQ(recompute("--recompute-activations"), "selective");
    EXPECT_EQ(recompute("--recompute-granularity selective"), "selective");
    EXPECT_EQ(recompute("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"), "full");
    EXPECT_EQ(recompute("--recompute-granularity full --recompute-method block --recompute-num-layers 8"), (Json{{"every", 4}}));
    EXPECT_EQ(recompute("--recompute-granularity full --recompute-method block --recompute-num-layers 32"), "full");
    EXPECT_EQ(recompute("--checkpoint-activations"), "full");
}

TEST(MegatronImport, ContextShardingOverlapAndGraphs) {
    const Json s = scenarioOf(dense("--context-parallel-size 2 --cp-comm-type a2a --tensor-model-parallel-size 2 --sequence-parallel --tp-comm-overlap "
                                    "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads --enable-cuda-graph --fp8-format hybrid --fp8-recipe blockwise "
                                    "--optimizer-cpu-offload --optimizer-offload-fraction 0.5 --use-tp-pp-dp-mapping"));
    EXPECT_EQ(at(s, "/parallelism/context"), 2);
    EXPECT_EQ(at(s, "/parallelism/context_method"), "all_to_all");
    EXPECT_EQ(at(s, "/parallelism/sequence"), true);
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 2);
    EXPECT_EQ(at(s, "/parallelism/order"), "tp-cp-ep-pp-dp");
    EXPECT_EQ(at(s, "/execution/overlap/tensor"), true);
    EXPECT_EQ(at(s, "/execution/cuda_graphs"), true);
    EXPECT_EQ(at(s, "/execution/offload/optimizer"), 0.5);
    EXPECT_EQ(at(s, "/workload/precision"), "fp8");
    EXPECT_EQ(at(s, "/workload/fp8_recipe"), "block");
}

TEST(MegatronImport, GraphsOfPartsAndDispatchers) {
    const std::string experts = "--ffn-hidden-size 14336 --num-experts 8 --moe-router-topk 2 --expert-model-parallel-size 8 ";
    const auto graphs = [&](const std::string& more) { return at(scenarioOf(dense(llamaLike + experts + more)), "/execution/cuda_graphs"); };
    EXPECT_EQ(graphs("--cuda-graph-impl none"), false);
    EXPECT_EQ(graphs("--cuda-graph-impl local"), true);
    EXPECT_EQ(graphs("--cuda-graph-impl transformer_engine --cuda-graph-scope attn moe_router moe_preprocess"), Json({{"scope", {"attention", "moe_router", "moe_preprocess"}}}));
    EXPECT_EQ(graphs("--cuda-graph-impl transformer_engine --cuda-graph-scope [attn,moe_router]"), Json({{"scope", {"attention", "moe_router"}}}));
    EXPECT_EQ(graphs("--cuda-graph-impl local --cuda-graph-scope full_iteration"), "full_iteration");
    EXPECT_EQ(graphs("--cuda-graph-impl full_iteration"), "full_iteration");
    const auto dispatcher = [&](const std::string& more) { return at(scenarioOf(dense(llamaLike + experts + more)), "/execution/moe_dispatcher"); };
    EXPECT_EQ(dispatcher("--moe-token-dispatcher-type alltoall"), "alltoall");
    EXPECT_EQ(dispatcher("--moe-token-dispatcher-type allgather"), "allgather");
    EXPECT_EQ(dispatcher("--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend hybridep"), "hybridep");
    EXPECT_EQ(dispatcher("--moe-token-dispatcher-type flex --moe-enable-deepep"), "deepep");
    EXPECT_EQ(dispatcher(""), Json());
}

TEST(MegatronImport, MissingSizesAreErrors) {
    const Import imported = importCommandLine("torchrun pretrain_gpt.py --num-layers $LAYERS --hidden-size 1024 --num-attention-heads 16 --seq-length 2048");
    EXPECT_FALSE(imported.scenario);
    EXPECT_EQ(mentions(imported.problems, "value-left-open", "$LAYERS"), 1);
    EXPECT_EQ(mentions(imported.problems, "size-missing", "--num-layers"), 1);
    EXPECT_EQ(at(scenarioOf("torchrun pretrain_gpt.py --num-layers $LAYERS --hidden-size 1024 --num-attention-heads 16 --seq-length 2048", {.variables = {{"LAYERS", "24"}}}), "/model/config/n_layer"), 24);
}

TEST(MegatronImport, OptionsAlone) {
    const Json s = scenarioOf("--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --micro-batch-size 4 --fp16");
    EXPECT_EQ(at(s, "/model/config/n_layer"), 24);
    EXPECT_EQ(at(s, "/cluster/nodes"), 1);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 32) << "one micro-batch on each of 8 data ranks";
}

TEST(MegatronImport, TakesOverTheFormatsOfItsPrecisionAwareOptimizer) {
    const std::string line = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 "
                             "--micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer --main-grads-dtype bf16 --exp-avg-dtype fp8 --exp-avg-sq-dtype fp8";
    const Json s = scenarioOf(line + " --use-precision-aware-optimizer");
    EXPECT_EQ(at(s, "/workload/gradient_precision"), "bf16");
    EXPECT_EQ(at(s, "/workload/optimizer_precision"), "fp8");
    const Json without = scenarioOf(line);
    EXPECT_EQ(at(without, "/workload/gradient_precision"), Json()) << "the flags have no effect without it";
    EXPECT_EQ(at(without, "/workload/optimizer_precision"), Json());
}

} // namespace
} // namespace orrery
