// SPDX-License-Identifier: GPL-3.0-or-later
// What counts as communication: the shipped rules against the regular expression they come from, any rules against a second way to match them.
#include "core/base/json.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>

namespace orrery {
namespace {

/// The expression stands in traces/README.md of the reference data, up to mscclpp; behind it, names of XLA's collective instructions (its operation semantics) and of
/// HCCL's operators, which no kernel there has.
const std::regex& referenceExpression() {
    static const std::regex expression("nccl|rccl|all_?reduce|reduce_?scatter|all_?gather|all_?to_?all|sendrecv|multimem|cross_device_reduce|deep_?ep|dpsk::ep|nvshmem|mscclpp|all-reduce|reduce-scatter|all-gather|all-to-all|collective-permute|collective-broadcast|hccl|hcom_", std::regex::icase);
    return expression;
}

/// Kernels as libraries and frameworks call them.
constexpr std::array realNames{
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclSymDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16", "rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", "RCCL_AllToAll",
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals, vllm::Signal*, __nv_bfloat16*, int, int)", "void vllm::cross_device_reduce_2stage<half, 4>", "void sglang::cross_device_reduce_1stage",
    "crossdevicereduce", "cross_devicereduce", "cross__device_reduce", "CROSS_DEVICE_REDUCE", "void multimem_all_reduce_kernel<c10::BFloat16>", "multimem_one_shot_all_reduce_kernel", "two_shot_all_reduce_kernel_inplace",
    "void tensorrt_llm::kernels::oneShotAllReduceKernel<__nv_bfloat16, 8, true>(tensorrt_llm::kernels::AllReduceParams)", "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport", "void at::native::all_reduce_two_shot",
    "void deep_ep::internode_ll::dispatch<true, 3, 7168>(void*, float*, int*)", "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 8192>", "deepep::dispatch", "void dpsk::ep::combine", "dpsk_ep::combine", "nvshmemi_transfer_amo_nonfetch", "NVSHMEM_barrier_kernel",
    "mscclpp::allreduce8", "MSCCLPP_allgather", "void all_to_all_vdev_kernel", "alltoall_kernel", "all_toall", "allto_all", "all__to_all", "AllToAllV", "reduce_scatter_cuda", "ReduceScatterV", "reduce__scatter", "all_gather_base", "allgather_intra", "gather_all", "SendRecv", "send_recv",
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, unsigned int, float, 4> >", "void at::native::(anonymous namespace)::indexing_backward_kernel<float, 4>",
    "ampere_sgemm_128x64_nn", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas", "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_TNT", "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>",
    "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64", "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>", "flash_bwd_dq_dk_dv_loop_seqk_parallel", "void fbgemm_gpu::split_embedding_codegen_forward_unweighted_kernel<float>",
    "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0", "triton_poi_fused_all_reduce_view_1", "_all_gather_matmul_kernel", "void cub::DeviceReduceKernel", "void cub::DeviceScanKernel", "Memcpy DtoD (Device -> Device)", "Memset (Device)",
    "void moe_align_block_size_kernel", "fused_moe_kernel", "void fast_hadamard_transform_kernel", "grouped_topk", "void rotary_embedding_kernel", "reshape_and_cache_flash_kernel", "", "_", "a", "all_", "allredu", "NCC", "n_ccl", "x_nccl_x", "deep__ep", "DEEP_EP", "deepEp"};

TEST(CommunicationRules, TheShippedOnesSayWhatTheReferenceExpressionSays) {
    for (const char* name : realNames) EXPECT_EQ(isCommunication(name), std::regex_search(name, referenceExpression())) << name;
    // Near the words: each of them with letters changed, doubled, left out, in another case.
    test::RandomSource random(41);
    const std::string letters = "_:aAbceglnprstx";
    for (int round = 0; round < 20000; ++round) {
        std::string name;
        for (std::size_t part = 0; part < 1 + random.below(2); ++part) {
            std::string word = shippedCommunicationRules()[random.below(shippedCommunicationRules().size())].match;
            std::erase(word, '?');
            for (std::size_t change = random.below(3); change > 0 && !word.empty(); --change) {
                const std::size_t at = random.below(word.size());
                switch (random.below(4)) {
                case 0: word.erase(at, 1); break;
                case 1: word.insert(at, 1, word[at]); break;
                case 2: word[at] = letters[random.below(letters.size())]; break;
                default: word[at] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[at])));
                }
            }
            name += word;
        }
        EXPECT_EQ(isCommunication(name), std::regex_search(name, referenceExpression())) << name;
    }
}

TEST(CommunicationRules, TheShippedOnesSayItOfEveryRecordedKernel) {
    ORRERY_REQUIRE_SHARED("traces/expected.json");
    const Json expected = Json::parse(test::readWholeFile(test::sharedPath("traces/expected.json")));
    std::set<std::string> names;
    for (const auto& [file, wanted] : expected["traces"].items()) {
        if (!wanted.contains("comm_kernels")) continue;
        Problems problems;
        const auto trace = readDeviceTrace(test::readWholeFile(test::sharedPath("traces/" + file)), file, problems);
        ASSERT_TRUE(trace) << file;
        for (const DeviceEvent& event : trace->device)
            if (event.work == DeviceWork::kernel) names.insert(trace->names[event.name]);
        EXPECT_FALSE(sortedOtherwise(*trace, shippedCommunicationRules())) << file;
    }
    EXPECT_GT(names.size(), 200U);
    for (const std::string& name : names) EXPECT_EQ(isCommunication(name), std::regex_search(name, referenceExpression())) << name;
}

/// The definition word for word, by trying every way.
bool matchesFrom(const std::string& match, std::size_t m, const std::string& name, std::size_t n) {
    if (m == match.size()) return true;
    const auto small = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    if (match[m] == '_' && m + 1 < match.size() && match[m + 1] == '?') return matchesFrom(match, m + 2, name, n) || (n < name.size() && name[n] == '_' && matchesFrom(match, m + 2, name, n + 1));
    return n < name.size() && small(match[m]) == small(name[n]) && matchesFrom(match, m + 1, name, n + 1);
}

std::optional<std::size_t> ruleByDefinition(const CommunicationRules& rules, const std::string& name) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (std::size_t at = 0; at <= name.size(); ++at)
            if (matchesFrom(rules[i].match, 0, name, at)) return i;
    return std::nullopt;
}

TEST(CommunicationRules, AnyRulesDecideAsTheyAreDefined) {
    test::RandomSource random(7);
    const auto made = [&random](const std::string& letters, std::size_t most) {
        std::string text;
        for (std::size_t i = random.below(most + 1); i > 0; --i) text += letters[random.below(letters.size())];
        return text;
    };
    int matched = 0;
    for (int round = 0; round < 4000; ++round) {
        CommunicationRules rules;
        for (std::size_t i = random.below(6); i > 0; --i) rules.push_back({made("aAb_?_", 7), random.below(2) == 0});
        const CommunicationJudge judge(rules);
        for (int each = 0; each < 8; ++each) {
            const std::string name = made("abAB__?", 9);
            const auto wanted = ruleByDefinition(rules, name);
            EXPECT_EQ(judge.rule(name), wanted) << name << " by " << communicationRulesDocument(rules);
            EXPECT_EQ(judge.communicates(name), wanted && rules[*wanted].communication);
            matched += wanted ? 1 : 0;
        }
    }
    EXPECT_GT(matched, 8000);
}

TEST(CommunicationRules, TheFirstThatMatchesDecidesAndNoneMeansComputation) {
    const CommunicationJudge judge({{"nccl_?send", false}, {"nccl"}, {"my_reduce"}});
    EXPECT_FALSE(judge.communicates("ncclSendKernel"));
    EXPECT_TRUE(judge.communicates("NCCL_Recv"));
    EXPECT_TRUE(judge.communicates("void MY_REDUCE<4>"));
    EXPECT_FALSE(judge.communicates("myreduce"));
    EXPECT_FALSE(judge.communicates("gemm"));
    EXPECT_FALSE(CommunicationJudge({}).communicates("nccl"));
    EXPECT_TRUE(CommunicationJudge({{"gemm", false}, {""}}).communicates("anything")); // an empty text is part of every name
    EXPECT_FALSE(CommunicationJudge({{"gemm", false}, {""}}).communicates("sgemm"));
}

TEST(CommunicationRules, SortingAgainIsReadingWithTheRules) {
    // A kernel of the user's own that says which collective it is: what it says must be there once it counts.
    const std::string text = R"({"traceEvents": [
        {"ph": "X", "cat": "kernel", "name": "my_ring", "ts": 0, "dur": 10, "pid": 0, "tid": 7, "args": {"Collective name": "allreduce", "In msg nelems": 100, "dtype": "Float"}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 4, "dur": 10, "pid": 0, "tid": 8},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": 20, "dur": 3, "pid": 0, "tid": 7},
        {"ph": "X", "cat": "gpu_memcpy", "name": "my_ring copy", "ts": 30, "dur": 1, "pid": 0, "tid": 7}]})";
    Problems problems;
    auto trace = readDeviceTrace(text, "t", problems);
    ASSERT_TRUE(trace);
    const CommunicationRules own{{"my_ring"}, {"nccl", false}};
    const auto sorted = sortedOtherwise(*trace, own);
    ASSERT_TRUE(sorted);
    EXPECT_TRUE(sorted->device[0].communication);
    EXPECT_FALSE(sorted->device[1].communication);
    EXPECT_FALSE(sorted->device[2].communication);
    EXPECT_FALSE(sorted->device[3].communication); // a copy never is
    EXPECT_EQ(kinetoFigures(*sorted), *traceFigures(text, "t", problems, own));
    EXPECT_EQ(kinetoFigures(*sorted)["comm_union_us"], 10);
    EXPECT_EQ(kinetoFigures(*sorted)["compute_union_us"], 13);
    ASSERT_EQ(sorted->collectiveCalls.size(), 1U);
    EXPECT_EQ(sorted->collectiveCalls[0].inputBytes, 400);
    sortKernels(*trace, own);
    EXPECT_FALSE(sortedOtherwise(*trace, own));
    sortKernels(*trace, shippedCommunicationRules());
    EXPECT_EQ(kinetoFigures(*trace), *traceFigures(text, "t", problems));
    EXPECT_TRUE(problems.empty());
}

TEST(CommunicationRules, AListIsReadAsItWasWritten) {
    Problems problems;
    const auto shipped = readCommunicationRules(communicationRulesDocument(shippedCommunicationRules()), "rules.json", "", problems);
    ASSERT_TRUE(shipped);
    EXPECT_EQ(*shipped, shippedCommunicationRules());
    const auto own = readCommunicationRules(Json::parse(R"([{"match": "ring"}, {"communication": false, "match": ""}])"), "", "/hybrid/communication", problems);
    ASSERT_TRUE(own);
    EXPECT_EQ(*own, (CommunicationRules{{"ring", true}, {"", false}}));
    EXPECT_TRUE(readCommunicationRules(Json::array(), "", "", problems)->empty());
    // At the bounds, in letters of any alphabet.
    std::string long200;
    for (int i = 0; i < 200; ++i) long200 += "ß";
    EXPECT_TRUE(readCommunicationRules(Json(1000, Json{{"match", long200}}), "", "", problems));
    EXPECT_TRUE(problems.empty());
}

TEST(CommunicationRules, WhatIsNoListOfRulesSaysWhatWhereAndTheMend) {
    const struct {
        const char* list;
        const char *code, *below;
    } cases[] = {{R"({"match": "nccl"})", "wrong-type", ""}, {R"(["nccl"])", "wrong-type", "/0"}, {R"([{"match": "a"}, {"communication": true}])", "missing-key", "/1"}, {R"([{"match": 3}])", "wrong-type", "/0/match"}, {R"([{"match": "a", "communication": "no"}])", "wrong-type", "/0/communication"}, {R"([{"match": "a", "comunication": true}])", "unknown-key", "/0"}, {"null", "wrong-type", ""}};
    for (const auto& each : cases) {
        Problems inScenario, inFile;
        EXPECT_FALSE(readCommunicationRules(Json::parse(each.list), "", "/hybrid/communication", inScenario)) << each.list;
        ASSERT_EQ(inScenario.size(), 1U) << each.list;
        EXPECT_EQ(inScenario[0].code, each.code) << each.list;
        EXPECT_EQ(inScenario[0].pointer, std::string("/hybrid/communication") + each.below);
        EXPECT_FALSE(inScenario[0].message.empty() || inScenario[0].mend.empty());
        EXPECT_FALSE(readCommunicationRules(Json::parse(each.list), "rules.json", "", inFile));
        ASSERT_EQ(inFile.size(), 1U);
        EXPECT_EQ(inFile[0].file, "rules.json");
    }
    Problems problems;
    EXPECT_FALSE(readCommunicationRules(Json(1001, Json{{"match", "a"}}), "", "", problems));
    EXPECT_FALSE(readCommunicationRules(Json::array({Json{{"match", std::string(201, 'a')}}}), "", "", problems));
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].code, "out-of-range");
    EXPECT_EQ(problems[1].pointer, "/0/match");
}

} // namespace
} // namespace orrery
