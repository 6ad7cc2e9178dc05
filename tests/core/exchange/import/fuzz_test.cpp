// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/import.hpp"
#include "tests/core/exchange/import/import_inputs.hpp"
#include "tests/core/exchange/import/served_inputs.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orrery {
namespace {

constexpr const char* engineProgram = "from vllm import LLM\nMODEL = \"Qwen/Qwen3-8B\"\nllm = LLM(model=MODEL, tensor_parallel_size=2, speculative_config={\"method\": \"ngram\", \"num_speculative_tokens\": 4}, quantization=None)\n";
constexpr const char* composeFile = "services:\n  s:\n    image: vllm/vllm-openai:latest\n    environment: [TP=2]\n    command: --model ${MODEL:-Qwen/Qwen3-8B} --tensor-parallel-size ${TP}\n    deploy: {replicas: 2}\n";
constexpr const char* nemoFile = "trainer: {devices: 8, num_nodes: 2, precision: bf16}\nmodel: {num_layers: 16, hidden_size: 1024, num_attention_heads: 16, encoder_seq_length: 2048, micro_batch_size: 1, activation: fast-swiglu, tensor_model_parallel_size: 2}\n";
constexpr const char* stagesScript = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 16 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --bf16 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout \"Et*3|(tt|)*5t,tt|L\" "
                                     "--num-experts 8 --moe-layer-freq \"([0]*2+[1,0]*7)\" --window-size \"(127,0)\" --hybrid-layer-pattern \"*-|*E*-\"";
constexpr const char* recipeCommand = "torchrun --nproc_per_node 8 run_recipe.py --recipe llama3_8b_pretrain_16gpu_h100_fp8_mx_config --mode pretrain model.pipeline_model_parallel_layout=[[embedding,decoder]*2,[decoder,loss]] model.add_bias_linear=false";
constexpr const char* poolsFile = "model: Qwen/Qwen3-8B\ncontext_servers: {num_instances: 2, tensor_parallel_size: 1}\ngeneration_servers: {num_instances: 1, tensor_parallel_size: 4}\n";

const char* const allInputs[] = {engineProgram, composeFile, nemoFile, stagesScript, recipeCommand, poolsFile, inputs::gpt3, inputs::llama3Fp8, inputs::bloom, inputs::deepSpeedLlama, inputs::deepSeek, inputs::titan8b, inputs::titan405b,
                                 inputs::vllmServe, inputs::vllmDocker, inputs::vllmYaml, inputs::vllmExperts, inputs::vllmSpeculative, inputs::vllmBench,
                                 inputs::sglangDeepSeek, inputs::sglangPlain, inputs::sglangYaml, inputs::trtllmServe, inputs::trtllmBench};

/// Every import ends with a document or with an error that says why.
void check(const std::string& text) {
    const Import imported = importCommandLine(text, {.readFile = [](const std::string&, std::string& error) -> std::optional<std::string> {
                                                  error = "no such file";
                                                  return std::nullopt;
                                              }});
    EXPECT_NE(imported.scenario.has_value(), hasErrors(imported.problems)) << text;
    if (imported.scenario) {
        EXPECT_FALSE(imported.scenario->dump(-1, ' ', false, Json::error_handler_t::replace).empty());
    }
    for (const Problem& problem : imported.problems) EXPECT_FALSE(problem.message.empty());
}

TEST(ImportFuzz, EveryKindOfTruncation) {
    for (const char* input : allInputs) {
        const std::string text = input;
        for (std::size_t length = 0; length <= text.size(); length += 7) {
            check(text.substr(0, length));
            check(text.substr(text.size() - length));
        }
    }
}

TEST(ImportFuzz, RandomDamage) {
    std::mt19937 random(4);
    const std::string alphabet = "\"'`$(){}[]\\;|&<>#=-\n \t*+0987654321aZ\x80\xff";
    for (int round = 0; round < 3000; ++round) {
        std::string text = allInputs[random() % std::size(allInputs)];
        for (unsigned changes = 1 + random() % 12; changes > 0; --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
            case 0: text[at] = alphabet[random() % alphabet.size()]; break;
            case 1: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
            default: text.erase(at, 1 + random() % 9);
            }
            if (text.empty()) text = "x";
        }
        check(text);
    }
}

TEST(ImportFuzz, DeepNestingAndHugeNumbers) {
    for (const char* piece : {"(", "$(", "${A:-", "\"$(", "if [ ", "case x in (", "f() {", "`", "[[ ! ", "$((", "{ ", "for a in b; do "}) {
        std::string text;
        for (int i = 0; i < 20'000; ++i) text += piece;
        check(text);
    }
    for (const char* number : {"0", "-1", "1e18", "999999999999999999999", "1000000000", "nan", "1.5", ""}) {
        for (const char* name : {"num-layers", "hidden-size", "num-attention-heads", "seq-length", "micro-batch-size", "global-batch-size", "vocab-size", "kv-channels",
                                 "tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size", "num-query-groups", "ffn-hidden-size", "num-experts",
                                 "make-vocab-size-divisible-by", "num-layers-per-virtual-pipeline-stage", "recompute-num-layers", "moe-layer-freq", "num-distributed-optimizer-instances", "window-size", "window-attn-skip-freq", "expert-model-parallel-size", "expert-tensor-parallel-size", "pipeline-model-parallel-layout", "hybrid-layer-pattern", "mtp-num-layers", "decoder-first-pipeline-num-layers", "train-iters", "nproc-per-node", "nnodes"}) {
            check(std::string("pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --recompute-granularity full "
                              "--recompute-method block --num-experts 4 --") +
                  name + " " + number);
        }
    }
}

} // namespace
} // namespace orrery
