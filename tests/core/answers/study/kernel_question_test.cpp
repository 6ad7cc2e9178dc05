// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about single kernels, held against what data sheets and shapes say, and the imec study's statement of what bounds Llama-2.
#include "core/answers/study/kernel_question.hpp"
#include "core/base/json.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using test::catalog;

Json ask(const Json& question) {
    Problems problems;
    const Json answer = answerKernelQuestion(question, catalog(), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return answer;
}

std::string problemOf(const Json& question) {
    Problems problems;
    EXPECT_TRUE(answerKernelQuestion(question, catalog(), problems).empty());
    EXPECT_FALSE(problems.empty());
    return problems.empty() ? "" : problems.front().pointer + ": " + problems.front().message + " " + problems.front().mend;
}

Json question(const char* model, const char* op, const char* chip, int tokens, int keys) {
    return {{"model", {{"preset", model}}}, {"operator", op}, {"accelerator", chip}, {"batch", 1}, {"tokens", tokens}, {"keys", keys}, {"tensor", 1}, {"precision", "fp16"}};
}

/// Rows and columns of Llama-2's weight matrices, from its published configuration.
struct Weight {
    const char* name;
    double n, k;
};

TEST(KernelQuestion, LlamaPromptOf200IsBoundByArithmeticOnA100AndByMemoryOnH100) {
    const std::pair<const char*, std::vector<Weight>> models[] = {
        {"llama-2-7b", {{"attention.qkv", 12288, 4096}, {"attention.output", 4096, 4096}, {"mlp.gate_up", 22016, 4096}, {"mlp.down", 4096, 11008}, {"head.logits", 32000, 4096}}},
        {"llama-2-13b", {{"attention.qkv", 15360, 5120}, {"attention.output", 5120, 5120}, {"mlp.gate_up", 27648, 5120}, {"mlp.down", 5120, 13824}, {"head.logits", 32000, 5120}}},
        {"llama-2-70b", {{"attention.qkv", 10240, 8192}, {"attention.output", 8192, 8192}, {"mlp.gate_up", 57344, 8192}, {"mlp.down", 8192, 28672}, {"head.logits", 32000, 8192}}}};
    for (const auto& [model, weights] : models)
        for (const Weight& weight : weights) {
            const Json a100 = ask(question(model, weight.name, "a100-sxm4-80gb", 200, 200));
            EXPECT_EQ(a100["n"], weight.n) << model << ' ' << weight.name;
            EXPECT_EQ(a100["k"], weight.k) << model << ' ' << weight.name;
            EXPECT_EQ(a100["m"], 200);
            // FLOP against bytes at the printed peaks: 312 TFLOP/s over 2,039 GB/s, and 989 over 3,350.
            const double flops = 2 * 200 * weight.n * weight.k, bytes = 2 * (200 * weight.k + weight.n * weight.k + 200 * weight.n);
            EXPECT_NEAR(a100["compute_over_memory"].get<double>(), flops / 312e12 / (bytes / 2039e9), 1e-9);
            EXPECT_GT(a100["compute_over_memory"], 1) << model << ' ' << weight.name;
            EXPECT_EQ(a100["class"], "compute") << model << ' ' << weight.name << ' ' << a100.dump();
            const Json h100 = ask(question(model, weight.name, "h100-sxm5-80gb", 200, 200));
            EXPECT_NEAR(h100["compute_over_memory"].get<double>(), flops / 989e12 / (bytes / 3350e9), 1e-9);
            EXPECT_LT(h100["compute_over_memory"], 1);
            EXPECT_EQ(h100["class"], "memory") << model << ' ' << weight.name << ' ' << h100.dump();
            for (const char* chip : {"a100-sxm4-80gb", "h100-sxm5-80gb"}) {
                const Json decoding = ask(question(model, weight.name, chip, 1, 201));
                EXPECT_EQ(decoding["class"], "memory") << model << ' ' << weight.name << ' ' << chip << decoding.dump();
                EXPECT_LT(decoding["compute_over_memory"], 0.1);
            }
        }
}

TEST(KernelQuestion, DecodingSeesTheKeysBeforeIt) {
    const Json scores = ask(question("llama-2-7b", "attention.scores", "a100-sxm4-80gb", 1, 201));
    EXPECT_EQ(scores["m"], 1);
    EXPECT_EQ(scores["n"], 201);
    EXPECT_EQ(scores["k"], 128);
    EXPECT_EQ(scores["batch"], 32);
    EXPECT_EQ(scores["class"], "memory");
    EXPECT_EQ(ask(question("llama-2-7b", "attention.context", "a100-sxm4-80gb", 1, 201))["k"], 201);
}

TEST(KernelQuestion, RanksShareColumnsRowsAndHeads) {
    Json split = question("llama-2-7b", "mlp.gate_up", "h100-sxm5-80gb", 200, 200);
    split["tensor"] = 8;
    EXPECT_EQ(ask(split)["n"], 22016 / 8);
    split["operator"] = "mlp.down";
    EXPECT_EQ(ask(split)["k"], 11008 / 8);
    split["operator"] = "attention.scores";
    EXPECT_EQ(ask(split)["batch"], 4);
}

TEST(KernelQuestion, WrongOnesSayWhereAndHow) {
    Json wrong = question("llama-2-7b", "mlp.dawn", "h100-sxm5-80gb", 200, 200);
    EXPECT_NE(problemOf(wrong).find("mlp.down"), std::string::npos);
    wrong = question("llama-2-7c", "mlp.down", "h100-sxm5-80gb", 200, 200);
    EXPECT_NE(problemOf(wrong).find("llama-2-7b"), std::string::npos);
    wrong = question("llama-2-7b", "mlp.down", "h100-sxm5-80", 200, 200);
    EXPECT_NE(problemOf(wrong).find("/accelerator"), std::string::npos);
    wrong = question("llama-2-7b", "mlp.down", "h100-sxm5-80gb", 0, 200);
    EXPECT_NE(problemOf(wrong).find("/tokens"), std::string::npos);
    wrong = question("llama-2-7b", "mlp.down", "h100-sxm5-80gb", 1, 200);
    wrong["tensr"] = 2;
    EXPECT_NE(problemOf(wrong).find("\"tensor\""), std::string::npos);
}

} // namespace
} // namespace orrery
