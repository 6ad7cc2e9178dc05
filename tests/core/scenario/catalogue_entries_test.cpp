// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/listed_entries.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

// Entries of the catalogue, written into a scenario as `orrery-cli list` prints them, are the entries themselves; a field that differs
// replaces that one and nothing else. Whole results are compared by tests/cli/commands_test.cpp.

namespace orrery::test {
namespace {

Json small() {
    Json document = soundDocument();
    document["model"] = {{"preset", "llama-2-7b"}};
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"nodes", 2}};
    document["workload"] = {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", 256}, {"micro_batch_size", 1}, {"precision", "bf16"}};
    document["parallelism"] = {{"tensor", 2}};
    return document;
}

/// Through text, as a file goes.
Json pasted(const Json& entry) { return Json::parse(entry.dump()); }

void expectSame(const Accelerator& a, const Accelerator& b) {
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.vendor, b.vendor);
    EXPECT_EQ(a.form, b.form);
    EXPECT_EQ(a.releaseYear, b.releaseYear);
    EXPECT_EQ(a.peakDense, b.peakDense);
    for (const auto member : {&Accelerator::vectorFp32, &Accelerator::memoryBytes, &Accelerator::memoryBandwidth, &Accelerator::l2Bytes, &Accelerator::l2Bandwidth,
                              &Accelerator::boostClock, &Accelerator::sharedBytes, &Accelerator::registerBytes, &Accelerator::scaleUpBandwidth,
                              &Accelerator::hostLinkBandwidth, &Accelerator::nicBandwidth, &Accelerator::tdpWatts})
        EXPECT_EQ(a.*member, b.*member);
    for (const auto member : {&Accelerator::multiprocessors, &Accelerator::clusterSize, &Accelerator::scaleUpDomain}) EXPECT_EQ(a.*member, b.*member);
    EXPECT_EQ(a.asynchronousMatrixUnits, b.asynchronousMatrixUnits);
    EXPECT_EQ(a.inlineEcc, b.inlineEcc);
    EXPECT_EQ(a.citation.source, b.citation.source);
}

TEST(CatalogueEntries, AnAcceleratorGivenWholeIsThatAccelerator) {
    for (const Accelerator& one : catalog().accelerators()) {
        SCOPED_TRACE(one.id);
        Json document = small();
        if (one.peakDense.count("bf16") == 0) document["workload"]["precision"] = "fp16";
        document["cluster"]["accelerator"] = one.id;
        const ScenarioReading byId = read(document);
        document["cluster"]["accelerator"] = pasted(listedEntry(catalog(), one));
        const ScenarioReading whole = read(document);
        ASSERT_TRUE(byId.scenario) << listed(byId.problems);
        ASSERT_TRUE(whole.scenario) << listed(whole.problems);
        expectSame(whole.scenario->cluster.accelerator, byId.scenario->cluster.accelerator);
        EXPECT_EQ(listed(whole.problems), listed(byId.problems));
        ASSERT_EQ(whole.scenario->assumed.size(), byId.scenario->assumed.size());
        for (std::size_t i = 0; i < byId.scenario->assumed.size(); ++i) {
            EXPECT_EQ(whole.scenario->assumed[i].pointer, byId.scenario->assumed[i].pointer);
            EXPECT_EQ(whole.scenario->assumed[i].value, byId.scenario->assumed[i].value);
            EXPECT_EQ(whole.scenario->assumed[i].why, byId.scenario->assumed[i].why);
        }
    }
}

/// An id and what is different is enough.
TEST(CatalogueEntries, AFieldOfAnAcceleratorReplacesThatOneAlone) {
    const Accelerator& listed20 = *catalog().accelerator("h20-96gb");
    Json document = small();
    document["cluster"]["accelerator"] = {{"id", "h20-96gb"}, {"memory_gb_per_s", 6000}};
    const ScenarioReading reading = read(document);
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    Accelerator expected = listed20;
    expected.memoryBandwidth = 6000e9;
    expectSame(reading.scenario->cluster.accelerator, expected);
    EXPECT_EQ(reading.scenario->kernels.inheritedFrom, catalog().kernels(listed20).inheritedFrom);

    document["cluster"]["accelerator"] = {{"id", "h20-96gb"}, {"memory_gb", 141}, {"peak_dense_tflops", {{"bf16", 200}}}, {"boost_clock_mhz", nullptr}};
    const ScenarioReading more = read(document);
    ASSERT_TRUE(more.scenario) << listed(more.problems);
    EXPECT_EQ(more.scenario->cluster.accelerator.memoryBytes, 141.0 * 1024 * 1024 * 1024);
    EXPECT_EQ(more.scenario->cluster.accelerator.peakDense.at("bf16"), 200e12);
    EXPECT_EQ(more.scenario->cluster.accelerator.peakDense.at("fp8"), listed20.peakDense.at("fp8"));
    EXPECT_EQ(more.scenario->cluster.accelerator.boostClock, 0);
}

/// Links that the object states stand before the platform's, the platform's before nothing.
TEST(CatalogueEntries, LinksOfAnAcceleratorThatAreStatedStandBeforeThePlatforms) {
    Json document = small();
    document["cluster"]["accelerator"] = {{"id", "h100-sxm5-80gb"}, {"scale_up", {{"gb_per_s_per_direction", 900}}}, {"typical_nic_gbps_per_accelerator", 800}};
    const ScenarioReading reading = read(document);
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    EXPECT_EQ(reading.scenario->cluster.scaleUpBandwidth, 900e9);
    EXPECT_EQ(reading.scenario->cluster.links.front().bandwidth, 100e9);
    ASSERT_NE(assumed(*reading.scenario, "/cluster/scale_up/bandwidth_gb_s"), nullptr);
    EXPECT_EQ(assumed(*reading.scenario, "/cluster/scale_up/bandwidth_gb_s")->why, "the accelerator's own fields");
}

TEST(CatalogueEntries, APlatformWrittenOutIsThatPlatform) {
    for (const Platform& platform : catalog().platforms()) {
        if (!platform.usual) continue;
        SCOPED_TRACE(platform.id);
        const Json entry = pasted(listedEntry(catalog(), platform));
        Json document = small();
        if (catalog().accelerator(platform.accelerator)->peakDense.count("bf16") == 0) document["workload"]["precision"] = "fp16";
        document["cluster"] = {{"accelerator", platform.accelerator}, {"nodes", 4}};
        const ScenarioReading implied = read(document);
        document["cluster"]["accelerators_per_node"] = entry["accelerators_per_node"];
        for (const char* fabric : {"scale_up", "scale_out"}) {
            document["cluster"][fabric] = entry[fabric];
            document["cluster"][fabric].erase("domain_size"); // one node unless given, also in a rack
        }
        const ScenarioReading written = read(document);
        ASSERT_TRUE(implied.scenario) << listed(implied.problems);
        ASSERT_TRUE(written.scenario) << listed(written.problems);
        const Cluster &a = implied.scenario->cluster, &b = written.scenario->cluster;
        EXPECT_EQ(a.scaleUpBandwidth, b.scaleUpBandwidth);
        EXPECT_EQ(a.scaleUpLatency, b.scaleUpLatency);
        ASSERT_EQ(a.links.size(), b.links.size());
        for (std::size_t i = 0; i < a.links.size(); ++i) {
            EXPECT_EQ(a.links[i].bandwidth, b.links[i].bandwidth);
            EXPECT_EQ(a.links[i].latency, b.links[i].latency);
        }
    }
}

TEST(CatalogueEntries, AFrameworkGivenWholeIsThatFramework) {
    for (const FrameworkProfile& profile : catalog().frameworks()) {
        SCOPED_TRACE(profile.id);
        Json document = small();
        document["execution"] = {{"framework", profile.id}};
        const ScenarioReading byId = read(document);
        document["execution"]["framework"] = pasted(listedEntry(catalog(), profile));
        const ScenarioReading whole = read(document);
        ASSERT_EQ(byId.scenario.has_value(), whole.scenario.has_value()) << listed(byId.problems) << listed(whole.problems);
        EXPECT_EQ(listed(whole.problems), listed(byId.problems));
        if (!byId.scenario) continue;
        EXPECT_EQ(Json(whole.scenario->execution.profile.sources), Json(byId.scenario->execution.profile.sources));
        EXPECT_EQ(whole.scenario->execution.profile.hostLaunch, byId.scenario->execution.profile.hostLaunch);
        EXPECT_EQ(whole.scenario->execution.profile.iterationOverhead, byId.scenario->execution.profile.iterationOverhead);
        EXPECT_EQ(whole.scenario->assumed.size(), byId.scenario->assumed.size());
    }
}

TEST(CatalogueEntries, AValueOfAFrameworkReplacesThatOneAlone) {
    Json document = small();
    document["execution"] = {{"framework", "megatron-core-2025"}};
    const FrameworkProfile before = read(document).scenario->execution.profile;
    document["execution"]["framework"] = {{"id", "megatron-core-2025"}, {"values", {{"host_launch_us", 17}, {"flash_attention", {{"value", false}}}}}};
    const ScenarioReading reading = read(document);
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    const FrameworkProfile& after = reading.scenario->execution.profile;
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.hostLaunch, 17 * 1e-6);
    EXPECT_FALSE(after.flashAttention);
    EXPECT_EQ(after.iterationOverhead, before.iterationOverhead);
    EXPECT_EQ(after.attentionShare, before.attentionShare);
    EXPECT_EQ(after.optimizerBytes, before.optimizerBytes);
}

TEST(CatalogueEntries, WhatIsWrongInAFrameworkIsNamed) {
    const auto expectAt = [](const Json& framework, const std::string& code, const std::string& pointer) {
        Json document = small();
        document["execution"] = {{"framework", framework}};
        const ScenarioReading reading = read(document);
        EXPECT_FALSE(reading.scenario.has_value());
        const Problem* found = find(reading.problems, code);
        ASSERT_NE(found, nullptr) << listed(reading.problems);
        EXPECT_EQ(found->pointer, pointer);
        EXPECT_FALSE(found->mend.empty());
    };
    expectAt({{"values", {{"host_lunch_us", 17}}}}, "unknown-key", "/execution/framework/values/host_lunch_us");
    expectAt({{"values", {{"host_launch_us", "slow"}}}}, "wrong-type", "/execution/framework/values/host_launch_us");
    expectAt({{"values", {{"host_launch_us", 1e9}}}}, "out-of-range", "/execution/framework/values/host_launch_us");
    expectAt({{"values", {{"loss_kernel", "quick"}}}}, "unknown-value", "/execution/framework");
    expectAt({{"defaults", {{"execution", {{"recompute", 7}}}}}}, "wrong-type", "/execution/framework/defaults/execution/recompute");
    expectAt({{"idd", "x"}}, "unknown-key", "/execution/framework/idd");
}

} // namespace
} // namespace orrery::test
