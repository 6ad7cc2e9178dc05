// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/kernel_table.hpp"
#include "core/operators/measured_times.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

KernelTable read(KernelKind kind, const std::string& text, Problems& problems) { return readKernelTable(kind, text, "t.csv", problems); }

TEST(KernelTable, ReadsColumnsInAnyOrderAndPassesOverOthers) {
    Problems problems;
    const KernelTable table = read(KernelKind::gemm, "k,colour,m,latency_us,n,dtype\r\n64,red,1,2.5,32,bf16\r\n", problems);
    EXPECT_TRUE(problems.empty());
    ASSERT_EQ(table.calls.size(), 1U);
    EXPECT_EQ(table.calls[0].call.sizes[0], 1);
    EXPECT_EQ(table.calls[0].call.sizes[1], 32);
    EXPECT_EQ(table.calls[0].call.sizes[2], 64);
    EXPECT_EQ(table.calls[0].call.format, KernelFormat::bf16);
    EXPECT_DOUBLE_EQ(table.calls[0].seconds, 2.5e-6);
}

TEST(KernelTable, NamesFileLineAndMend) {
    const std::string header = "dtype,m,n,k,latency_us\n";
    const std::vector<std::string> wrong{"bf16,1,2,3\n", "bf16,one,2,3,4\n", "bf16,0,2,3,4\n", "bf17,1,2,3,4\n", "bf16,1,2,3,0\n", "bf16,1,2,3,nan\n", "bf16,1,2,3,inf\n"};
    for (const std::string& row : wrong) {
        Problems problems;
        const KernelTable table = read(KernelKind::gemm, header + "bf16,1,1,1,1\n" + row, problems);
        EXPECT_EQ(table.calls.size(), 1U) << row;
        ASSERT_EQ(problems.size(), 1U) << row;
        EXPECT_EQ(problems[0].file, "t.csv");
        EXPECT_EQ(problems[0].line, 3);
        EXPECT_FALSE(problems[0].mend.empty());
    }
    Problems problems;
    read(KernelKind::gemm, "dtype,m,n,latency_us\n", problems);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].message.find("k"), std::string::npos);
    EXPECT_EQ(problems[0].line, 1);
}

TEST(KernelTable, EndsAfterTwentyProblems) {
    std::string text = "dtype,m,n,k,latency_us\n";
    for (int i = 0; i < 1000; ++i) text += "x\n";
    Problems problems;
    read(KernelKind::gemm, text, problems);
    EXPECT_EQ(problems.size(), 20U);
}

TEST(KernelTable, TellsTheKindByItsColumns) {
    EXPECT_EQ(kindFromHeader("dtype,m,n,k,latency_us\n1"), KernelKind::gemm);
    EXPECT_EQ(kindFromHeader("dtype,kv_dtype,batch,seq,heads,kv_heads,head_dim,window,kernel,latency_us"), KernelKind::context_attention);
    EXPECT_EQ(kindFromHeader("dtype,kv_dtype,batch,seq,heads,latency_us"), KernelKind::context_mla);
    EXPECT_EQ(kindFromHeader("op,dtype,gpus,bytes,latency_us"), KernelKind::nccl);
    EXPECT_EQ(kindFromHeader("name,price"), std::nullopt);
}

/// Text of every kind comes back as the same calls with the same times.
TEST(KernelTable, WritesWhatItReads) {
    const std::vector<std::pair<KernelKind, std::string>> tables{
        {KernelKind::gemm, "dtype,m,n,k,latency_us\nfp8_block,16,4096,7168,12.5\n"},
        {KernelKind::context_attention, "dtype,kv_dtype,batch,seq,heads,kv_heads,head_dim,window,kernel,latency_us\nbf16,fp8,1,2,3,1,64,0,x,13.44\n"},
        {KernelKind::generation_mla, "dtype,kv_dtype,batch,kv_len,heads,latency_us\nbf16,fp8,4,128,16,9.5\n"},
        {KernelKind::moe, "dtype,tokens,hidden,inter,topk,experts,tp,ep,gated,distribution,kernel,latency_us\nnvfp4,1,2048,512,8,256,1,2,1,power_law_1.01,moe_torch_flow_min_latency,31.11\n"
                          "bf16,1,2048,512,8,256,1,2,0,balanced,other,33.68\n"},
        {KernelKind::nccl, "op,dtype,gpus,bytes,latency_us\nreduce_scatter,fp16,8,1048576,31.5\n"},
        {KernelKind::deepep_low_latency, "version,nodes,hidden,tokens,topk,experts,dispatch_us,combine_us\n0.5.0,2,7168,1,8,256,16.28,12.199\n"},
        {KernelKind::deepep_normal, "version,nodes,hidden,tokens,topk,experts,dispatch_sms,combine_sms,dispatch_us,combine_us\n0.5.12,1,7168,1,8,256,20,24,37.28,48.36\n"},
    };
    for (const auto& [kind, text] : tables) {
        Problems problems;
        const KernelTable table = read(kind, text, problems);
        ASSERT_TRUE(problems.empty()) << toText(problems[0]);
        const std::string written = toCsv(table);
        const KernelTable again = read(kind, written, problems);
        ASSERT_TRUE(problems.empty()) << toText(problems[0]) << written;
        ASSERT_EQ(again.calls.size(), table.calls.size());
        for (std::size_t i = 0; i < table.calls.size(); ++i) {
            EXPECT_EQ(again.calls[i].call, table.calls[i].call) << written;
            EXPECT_NEAR(again.calls[i].seconds, table.calls[i].seconds, 1e-12 * table.calls[i].seconds);
        }
        EXPECT_EQ(toCsv(again), written);
    }
}

TEST(MeasuredTimes, NewerTimesReplaceOlderOnesOfTheSameCallAlone) {
    Problems problems;
    const KernelTable older = read(KernelKind::gemm, "dtype,m,n,k,latency_us\nbf16,1,2,3,10\nbf16,1,2,4,20\n", problems);
    const KernelTable newer = read(KernelKind::gemm, "dtype,m,n,k,latency_us\nbf16,1,2,3,11\nbf16,1,2,5,30\n", problems);
    const KernelTable both = merged(older, newer);
    EXPECT_EQ(both.calls.size(), 3U);
    MeasuredTimes times;
    times.add("h100-sxm5-80gb", both);
    EXPECT_EQ(times.size(), 3U);
    EXPECT_DOUBLE_EQ(times.find("h100-sxm5-80gb", newer.calls[0].call).value(), 11e-6);
    EXPECT_DOUBLE_EQ(times.find("h100-sxm5-80gb", older.calls[1].call).value(), 20e-6);
    EXPECT_FALSE(times.find("h200-sxm-141gb", older.calls[1].call));
}

} // namespace
} // namespace orrery
