// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orrery {
namespace {

const std::string commandLine = "torchrun --nproc_per_node 8 --nnodes $NODES pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
                                "--seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 4 --global-batch-size 64 --bf16 --vocab-size 50257 "
                                "--deepspeed_config ds.json --deepspeed --no-such-option\n";

TEST(ImportCommand, ScenarioOnStandardOutputAndNotesOnStandardError) {
    const ScratchFolder folder;
    std::ofstream(folder.path("train.sh")) << commandLine;
    std::ofstream(folder.path("ds.json")) << R"({"zero_optimization": {"stage": 2}})";
    const ProcessResult run = runCli({"import", folder.path("train.sh"), "--accelerator", "a100-sxm4-80gb", "--set", "NODES=2"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json scenario = Json::parse(run.out, nullptr, false);
    ASSERT_FALSE(scenario.is_discarded()) << run.out;
    EXPECT_EQ(scenario["format"], "orrery-scenario/1");
    EXPECT_EQ(scenario["cluster"]["accelerator"], "a100-sxm4-80gb");
    EXPECT_EQ(scenario["cluster"]["nodes"], 2);
    EXPECT_EQ(scenario["parallelism"]["zero_stage"], 2) << "from the configuration beside the script";
    EXPECT_NE(run.err.find("--no-such-option"), std::string::npos) << run.err;

    std::ofstream(folder.path("imported.orrery.json")) << run.out;
    EXPECT_EQ(runCli({"simulate", folder.path("imported.orrery.json"), "--json"}).status, 0);
}

TEST(ImportCommand, StandardInput) {
    ProcessOptions options;
    options.input = commandLine;
    const ProcessResult run = runCli({"import", "-", "--json"}, options);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(Json::parse(run.out, nullptr, false)["model"]["config"]["n_layer"], 24);
    EXPECT_NE(run.err.find("$NODES"), std::string::npos) << run.err;
}

TEST(ImportCommand, NothingRecognisedIsRefused) {
    ProcessOptions options;
    options.input = "make all\n";
    const ProcessResult run = runCli({"import", "-", "--json"}, options);
    EXPECT_EQ(run.status, 2);
    const Json document = Json::parse(run.out, nullptr, false);
    EXPECT_EQ(document["format"], "orrery-error/1");
    EXPECT_EQ(document["problems"][0]["code"], "nothing-recognised");
    EXPECT_EQ(runCli({"import", "/no/such/file.sh", "--json"}).status, 2);
    EXPECT_EQ(runCli({"import", "-", "--set", "novalue", "--json"}, options).status, 2);
}

} // namespace
} // namespace orrery
