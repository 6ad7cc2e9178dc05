// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of Megatron-LM and Megatron-Bridge arguments that public scripts and recipes have: what each means.
#include "core/exchange/import/megatron_layers.hpp"
#include "tests/core/exchange/import/import_checks.hpp"

#include <numeric>

namespace orrery {
namespace {

/// Llama 3 8B's sizes on 32 accelerators.
std::string eightBillion(const std::string& more) {
    return "torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 "
           "--seq-length 8192 --max-position-embeddings 8192 --position-embedding-type rope --swiglu --normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights --micro-batch-size 1 "
           "--global-batch-size 128 --bf16 --use-distributed-optimizer --vocab-size 128256 --attention-dropout 0 --hidden-dropout 0 " +
           more;
}

/// DeepSeek-V3's published layout and others, by the letters of pipeline_parallel_layer_layout.py.
TEST(MegatronLayouts, LettersAndListsSayTheLayersOfEachChunk) {
    const auto layers = [](const char* text) { return layersOfLayout(text).value_or(ChunkLayers{}).layers; };
    EXPECT_EQ(layers("Et*7|t*9|t*9|t*7L"), (std::vector<std::int64_t>{7, 9, 9, 7}));
    EXPECT_EQ(layers("E|t*3|t,L"), (std::vector<std::int64_t>{0, 3, 1}));
    const auto deepSeek = layers("Et*3|(tt|)*29m|L");
    EXPECT_EQ(deepSeek.size(), 32U) << "16 stages of two chunks";
    EXPECT_EQ(std::accumulate(deepSeek.begin(), deepSeek.end(), std::int64_t(0)), 61);
    EXPECT_EQ(deepSeek.front(), 3);
    EXPECT_EQ(deepSeek.back(), 0);
    EXPECT_TRUE(layersOfLayout("Et*3|(tt|)*29m|L")->predictsInside);
    EXPECT_EQ(layers("[['embedding','decoder'],['decoder']*3,['decoder','loss']]"), (std::vector<std::int64_t>{1, 3, 1}));
    EXPECT_FALSE(layersOfLayout("Et*7|x"));
    EXPECT_FALSE(layersOfLayout("(t)*999999999999"));
}

TEST(MegatronLayouts, StandInThePlan) {
    Json s = scenarioOf(eightBillion("--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout \"Et*7|t*9|t*9|t*7L\""));
    EXPECT_EQ(at(s, "/parallelism/pipeline_layout"), Json::array({7, 9, 9, 7}));
    EXPECT_EQ(at(s, "/parallelism/virtual_pipeline"), Json());
    s = scenarioOf(eightBillion("--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout \"Et*3|(t*4|)*6t*5L\""));
    EXPECT_EQ(at(s, "/parallelism/virtual_pipeline"), 2) << "eight chunks on four stages";
    EXPECT_EQ(soundScenario(s).parallelism.virtualPipeline, 2);
    const Import wrong = importCommandLine(eightBillion("--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout \"Et|t|t|tL\""));
    EXPECT_EQ(mentions(wrong.problems, "layout-not-understood", "4 layers and the model 32"), 1);
}

TEST(MegatronSharding, SeveralInstancesOfTheOptimizerAreGroups) {
    EXPECT_EQ(at(scenarioOf(eightBillion("--num-distributed-optimizer-instances 4")), "/parallelism/shard_group"), 8) << "32 ranks, four copies";
    EXPECT_EQ(at(scenarioOf(eightBillion("--num-distributed-optimizer-instances 2 --context-parallel-size 2")), "/parallelism/shard_group"), 16) << "context ranks hold the same weights";
    EXPECT_EQ(at(scenarioOf(eightBillion("--num-distributed-optimizer-instances 1")), "/parallelism/shard_group"), Json());
}

TEST(MegatronWindows, ReachAsFarBackAsTheyAreLong) {
    const Scenario all = soundScenario(scenarioOf(eightBillion("--window-size 4095,0")));
    EXPECT_EQ(all.model.kindOf(0).span, 4096) << "4,095 tokens to the left and one's own";
    EXPECT_EQ(all.model.kindOf(31).span, 4096);
    const Scenario every = soundScenario(scenarioOf(eightBillion("--window-size \"(127,0)\" --window-attn-skip-freq 2")));
    EXPECT_EQ(every.model.kindOf(0).span, 128);
    EXPECT_EQ(every.model.kindOf(1).span, 0) << "every second layer attends to all tokens";
    const Scenario listed = soundScenario(scenarioOf(eightBillion("--window-size 511,0 --window-attn-skip-freq \"([1]*3+[0])*8\"")));
    EXPECT_EQ(listed.model.kindOf(2).span, 512);
    EXPECT_EQ(listed.model.kindOf(3).span, 0);
    EXPECT_EQ(soundScenario(scenarioOf(eightBillion("--window-size -1,0"))).model.kindOf(0).span, 0);
    EXPECT_EQ(all.model.parameters(), soundScenario(scenarioOf(eightBillion(""))).model.parameters()) << "a window has no weights";
}

TEST(MegatronHybrids, AreRefusedForTheLayersTheyHave) {
    const auto refusal = [](const std::string& more) {
        const Import imported = importCommandLine("torchrun --nproc_per_node 8 pretrain_hybrid.py --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 --micro-batch-size 1 --bf16 " + more);
        EXPECT_FALSE(imported.scenario) << more;
        return imported.problems;
    };
    EXPECT_EQ(mentions(refusal("--hybrid-layer-pattern M-M*-M-"), "unsupported-layer", "Mamba layers (M)"), 1);
    EXPECT_EQ(mentions(refusal("--hybrid-override-pattern G-G-*-"), "unsupported-layer", "linear attention"), 1);
    EXPECT_EQ(mentions(refusal("--hybrid-layer-pattern DEDE"), "unsupported-layer", "indexer"), 1);
    EXPECT_EQ(mentions(refusal("--num-layers 56 --hybrid-attention-ratio 0.08 --hybrid-mlp-ratio 0.5"), "unsupported-layer", "Mamba"), 1);
    EXPECT_EQ(mentions(refusal("--num-layers 56 --experimental-attention-variant gated_delta_net"), "not-simulated", "sparse"), 1);
    EXPECT_EQ(mentions(refusal("--hybrid-layer-pattern M-M-"), "size-missing", ""), 0) << "no second reason that is none";
}

/// A pattern of attention and feed-forward layers alone is a transformer with half as many layers as letters.
TEST(MegatronHybrids, OfAttentionAloneAreTransformers) {
    const std::string sizes = "torchrun --nproc_per_node 8 --nnodes 2 pretrain_hybrid.py --hidden-size 2048 --ffn-hidden-size 8192 --num-attention-heads 16 --seq-length 4096 --max-position-embeddings 4096 "
                              "--micro-batch-size 1 --global-batch-size 32 --bf16 --vocab-size 131072 --position-embedding-type none --normalization RMSNorm --disable-bias-linear --squared-relu ";
    const Json dense = scenarioOf(sizes + "--hybrid-layer-pattern '*-*-|*-*-' --pipeline-model-parallel-size 2");
    EXPECT_EQ(soundScenario(dense).model.layers, 4);
    EXPECT_EQ(at(dense, "/parallelism/pipeline_layout"), Json::array({2, 2}));
    const Scenario experts = soundScenario(scenarioOf(sizes + "--hybrid-layer-pattern '*-*E*-*E' --num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 1024"));
    EXPECT_FALSE(experts.model.kindOf(0).experts);
    EXPECT_TRUE(experts.model.kindOf(1).experts);
    EXPECT_TRUE(experts.model.kindOf(3).experts);
}

TEST(MegatronExperts, AnyPatternOfLayersAndBiasesStay) {
    const std::string experts = "--num-experts 8 --moe-router-topk 2 ";
    const Scenario alternating = soundScenario(scenarioOf(eightBillion(experts + "--moe-layer-freq \"([1,0]*16)\"")));
    EXPECT_TRUE(alternating.model.kindOf(0).experts);
    EXPECT_FALSE(alternating.model.kindOf(1).experts);
    const Json plain = scenarioOf(eightBillion(experts));
    EXPECT_EQ(at(plain, "/model/config/model_type"), "mixtral");
    std::string biased = eightBillion(experts);
    biased.erase(biased.find("--disable-bias-linear"), std::string("--disable-bias-linear").size());
    EXPECT_GT(soundScenario(scenarioOf(biased)).model.parameters(), soundScenario(plain).model.parameters());
}

TEST(MegatronRefusals, SayWhatIsLeftOut) {
    for (const char* option : {"--fp8-param-gather", "--first-last-layers-bf16", "--fine-grained-activation-offloading", "--moe-router-force-biased 0.1"}) {
        const Import imported = importCommandLine(eightBillion(option));
        EXPECT_TRUE(imported.scenario) << option;
        EXPECT_EQ(mentions(imported.problems, "not-simulated", std::string(option).substr(0, std::string(option).find(' '))), 1) << option;
    }
    for (const char* option : {"--heterogeneous-layers-config-path c.json", "--moe-latent-size 512", "--decoder-num-layers 12"}) EXPECT_FALSE(importCommandLine(eightBillion(option)).scenario) << option;
}

TEST(MegatronClusters, HoldTheExpertsToo) {
    const Json s = scenarioOf("torchrun pretrain_gpt.py --num-layers 16 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --micro-batch-size 1 --bf16 --num-experts 64 --pipeline-model-parallel-size 4 --expert-model-parallel-size 32");
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 128) << "four stages of 32 expert ranks";
}

TEST(MegatronScripts, InsideAHereDocumentAreRead) {
    const Json s = scenarioOf("ARGS=\"--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --micro-batch-size 2 --bf16\"\nsbatch <<EOF\n#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\n"
                              "srun --mpi=pmix bash -x -c \"python pretrain_gpt.py ${ARGS}\"\nEOF\n");
    EXPECT_EQ(at(s, "/model/config/n_layer"), 24);
    EXPECT_EQ(at(s, "/cluster/nodes"), 4);
}

TEST(BridgeLaunches, RecipesAreTheirModelAndOverridesCount) {
    const Import imported = importCommandLine("torchrun --nproc-per-node 8 --nnodes 2 scripts/training/run_recipe.py --recipe llama3_8b_pretrain_config --mode pretrain train.global_batch_size=256 model.tensor_model_parallel_size=2 ddp.num_distributed_optimizer_instances=2");
    ASSERT_TRUE(imported.scenario);
    const Json& s = *imported.scenario;
    EXPECT_EQ(at(s, "/model/preset"), "llama-3-8b");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 2);
    EXPECT_EQ(at(s, "/parallelism/shard_group"), 4);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 256);
    EXPECT_EQ(at(s, "/parallelism/context"), 2) << "what the recipe itself sets";
    EXPECT_EQ(mentions(imported.problems, "recipe-not-read", ""), 0);
    const Import other = importCommandLine("python run_recipe.py --recipe llama3_8b_other_pretrain_config");
    EXPECT_EQ(mentions(other.problems, "recipe-not-read", "llama3_8b_other"), 1) << "what an unknown recipe sets is said to be missing";
    const Json named = scenarioOf("./scripts/training/train.sh --nodes 2 --gpus-per-node 8 --recipe qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config --mode pretrain");
    EXPECT_EQ(at(named, "/model/preset"), "qwen3-30b-a3b");
    EXPECT_EQ(at(named, "/cluster/nodes"), 2);
    const Json measured = scenarioOf("python scripts/performance/setup_experiment.py -mr llama31_405b -g gb200 -ng 64 -gn 4 -c fp8_mx --task pretrain -tp 4 -pp 8 -vp 8 -mb 1 -gb 64");
    EXPECT_EQ(at(measured, "/model/preset"), "llama-3.1-405b");
    EXPECT_EQ(at(measured, "/cluster/accelerator"), "gb200");
    EXPECT_EQ(at(measured, "/workload/precision"), "mxfp8");
    EXPECT_EQ(at(measured, "/parallelism/virtual_pipeline"), 8);
}

TEST(BridgeLaunches, KeysThatMeanTheOppositeAreTurnedRound) {
    const std::string line = "torchrun --nproc_per_node 8 scripts/training/run_recipe.py model.num_layers=12 model.hidden_size=1024 model.num_attention_heads=16 model.seq_length=1024 train.micro_batch_size=1 mixed_precision.bf16=true "
                             "model.vocab_size=32000 model.position_embedding_type=rope model.normalization=RMSNorm model.gated_linear_unit=true model.hidden_dropout=0 ";
    EXPECT_FALSE(soundScenario(scenarioOf(line + "model.add_bias_linear=false")).model.mlpBias);
    EXPECT_TRUE(soundScenario(scenarioOf(line + "model.add_bias_linear=true")).model.mlpBias);
    EXPECT_FALSE(soundScenario(scenarioOf(line + "model.share_embeddings_and_output_weights=false")).model.tiedEmbedding);
    EXPECT_EQ(at(scenarioOf(line + "model.overlap_p2p_comm=false"), "/execution/overlap/pipeline"), false);
}

} // namespace
} // namespace orrery
