// SPDX-License-Identifier: GPL-3.0-or-later
// Every flag of the newest releases is read, ignored for a reason or refused with one; none is met for the first time by a user.
#include "core/exchange/import/scenario_draft.hpp"
#include "resources/resources.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(FlagAccount, NoFlagOfTheNewestReleasesIsUnknown) {
    for (const std::string& launcher : launcherWords()) {
        const std::vector<FlagRow> rows = flagAccount(launcher, resourceText("launchers/" + launcher + ".txt"));
        EXPECT_GT(rows.size(), 50U) << launcher;
        for (const FlagRow& row : rows) {
            EXPECT_NE(row.treatment, FlagTreatment::unknown) << launcher << ' ' << row.flag;
            EXPECT_EQ(row.reason.empty(), row.treatment == FlagTreatment::read) << launcher << ' ' << row.flag;
        }
    }
}

TEST(FlagAccount, TellsWhatIsDone) {
    const auto treatment = [](const char* launcher, const char* flag) { return flagAccount(launcher, flag).at(0).treatment; };
    EXPECT_EQ(treatment("megatron-lm", "no-such-flag"), FlagTreatment::unknown);
    EXPECT_EQ(treatment("megatron-lm", "pipeline-model-parallel-layout"), FlagTreatment::read);
    EXPECT_EQ(treatment("megatron-lm", "num-distributed-optimizer-instances"), FlagTreatment::read);
    EXPECT_EQ(treatment("megatron-lm", "fp8-param-gather"), FlagTreatment::refused);
    EXPECT_EQ(treatment("megatron-lm", "lr-warmup-iters"), FlagTreatment::ignored);
    EXPECT_EQ(treatment("vllm", "enable-lora"), FlagTreatment::refused);
    EXPECT_EQ(treatment("deepspeed", "zero_optimization/zero_quantized_weights"), FlagTreatment::refused);
    EXPECT_EQ(treatment("torchtitan", "parallelism.no_such_degree"), FlagTreatment::unknown);
    EXPECT_TRUE(flagAccount("no-launcher", "x").empty());
}

} // namespace
} // namespace orrery
