// SPDX-License-Identifier: GPL-3.0-or-later
// What a publisher's recipe fills in, against the recipes as they were read case by case; and profiles by their releases.
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace orrery::test {
namespace {

Json filledIn(const ScenarioReading& reading) {
    Json filled = Json::object();
    for (const Assumption& assumption : reading.scenario->assumed) filled[assumption.pointer] = *assumption.value;
    return filled;
}

/// The graphs that a recipe of Megatron-Bridge names, in a scenario's words.
Json graphsOf(const Json& settings) {
    const std::string implementation = settings.value("cuda_graph_impl", std::string("none"));
    if (implementation == "none") return false;
    if (implementation == "full_iteration") return implementation;
    Json parts = Json::array();
    for (const Json& part : settings.at("cuda_graph_scope")) parts.push_back(part == "attn" ? Json("attention") : part);
    return Json{{"scope", parts}};
}

/// But for a few that the sizes of a later release's recipe gave away.
TEST(Recipes, AreThosePublished) {
    ORRERY_REQUIRE_SHARED("reference/bridge_recipes.json");
    const Json published = Json::parse(readWholeFile(sharedPath("reference/bridge_recipes.json")));
    std::map<std::string, Json> scenarios;
    const Json measured = Json::parse(readWholeFile(sharedPath("reference/training.json")));
    for (const Json& one : measured.at("cases")) scenarios[one.at("id").get<std::string>()] = one.at("scenario");
    int compared = 0, alike = 0;
    for (const Json& recipe : published.at("recipes")) {
        const auto found = scenarios.find(recipe.at("id").get<std::string>());
        if (found == scenarios.end() || found->second.at("execution").at("framework_version") == "25.09") continue; // read from a later tag
        const ScenarioReading reading = read(found->second);
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        const Json filled = filledIn(reading), settings = recipe.at("settings");
        const bool drops = found->second.at("execution").contains("moe_dispatch");
        const Json dispatcher = drops ? Json("alltoall") : settings.contains("moe_flex_dispatcher_backend") ? settings.at("moe_flex_dispatcher_backend")
                                                                                                            : Json("alltoall");
        const bool same = filled.at("/execution/cuda_graphs") == graphsOf(settings) && filled.at("/execution/moe_dispatcher") == dispatcher &&
                          filled.at("/execution/overlap/expert") == Json(settings.value("moe_a2a_overlap", false)) &&
                          filled.at("/execution/fused_experts") == Json(settings.value("cutedsl_fused_grouped_mlp", false));
        if (!same) std::printf("%s: %s\n", found->first.c_str(), settings.dump().c_str());
        ++compared;
        alike += same;
    }
    EXPECT_GE(compared, 20);
    EXPECT_GE(alike, compared - 3);
}

/// What a scenario says itself stands, as do models, accelerators and software that nobody publishes a recipe for.
TEST(Recipes, FillInWhatIsLeftOut) {
    Json document = soundDocument();
    document["model"] = {{"preset", "qwen3-30b-a3b"}};
    document["cluster"] = {{"accelerator", "b200-sxm-180gb"}, {"accelerators_per_node", 8}, {"nodes", 1}};
    document["workload"] = {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 512}, {"micro_batch_size", 1}, {"precision", "mxfp8"}};
    document["parallelism"] = {{"expert", 8}, {"zero_stage", 1}};
    document["execution"] = {{"framework", "megatron-bridge-2025"}, {"framework_version", "26.02"}};
    const auto graphs = [&] { return filledIn(read(document)).value("/execution/cuda_graphs", Json()); };
    EXPECT_EQ(graphs(), Json({{"scope", {"moe_router", "moe_preprocess"}}}));
    document["execution"]["framework_version"] = "26.04";
    EXPECT_EQ(graphs(), Json({{"scope", {"attention", "moe_router", "moe_preprocess"}}}));
    document["execution"]["cuda_graphs"] = true;
    const ScenarioReading given = read(document);
    EXPECT_TRUE(given.scenario->execution.graphParts.empty() && given.scenario->execution.cudaGraphs && !given.scenario->execution.graphsHoldIteration);
    document["execution"].erase("cuda_graphs");
    document["cluster"]["accelerator"] = "mi300x";
    document["workload"]["precision"] = "bf16";
    EXPECT_EQ(graphs(), Json(true)) << "the profile's";
    document["cluster"]["accelerator"] = "b200-sxm-180gb";
    document["model"] = {{"preset", "mixtral-8x7b"}};
    EXPECT_EQ(graphs(), Json(true));
    document["model"] = {{"preset", "qwen3-30b-a3b"}};
    document["execution"]["framework"] = "megatron-core-2025";
    EXPECT_EQ(graphs(), Json(false));
}

/// A profile that ends with a release takes no recipe of a later one: 26.08 is the first with experts in one kernel on this machine.
TEST(Recipes, WithoutAReleaseAreOfTheProfilesLast) {
    Json document = soundDocument();
    document["model"] = {{"preset", "qwen3-30b-a3b"}};
    document["cluster"] = {{"accelerator", "b200-sxm-180gb"}, {"accelerators_per_node", 8}, {"nodes", 1}};
    document["workload"] = {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 512}, {"micro_batch_size", 4}, {"precision", "mxfp8"}};
    document["parallelism"] = {{"expert", 8}, {"zero_stage", 1}};
    const std::map<std::string, std::string> last{{"megatron-bridge-2025", "26.06"}, {"megatron-bridge-2026", "26.08"}};
    std::map<std::string, Json> fused;
    for (const auto& [profile, release] : last) {
        document["execution"] = {{"framework", profile}};
        const Json without = filledIn(read(document));
        document["execution"]["framework_version"] = release;
        EXPECT_EQ(without, filledIn(read(document))) << profile;
        fused[profile] = without.at("/execution/fused_experts");
    }
    EXPECT_EQ(fused.at("megatron-bridge-2025"), Json(false));
    EXPECT_EQ(fused.at("megatron-bridge-2026"), Json(true));
}

/// Several sets may hold recipes of one profile: a model that the first leaves out is looked for in the next.
TEST(Recipes, OfOneProfileMayLieInSeveralSets) {
    Json document = soundDocument();
    document["model"] = {{"preset", "nemotron-4-340b"}};
    document["cluster"] = {{"accelerator", "gb200"}, {"accelerators_per_node", 4}, {"nodes", 32}, {"scale_up", {{"domain_size", 64}}}};
    document["workload"] = {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 32}, {"micro_batch_size", 1}, {"precision", "fp8"}};
    document["parallelism"] = {{"tensor", 8}, {"pipeline", 4}, {"virtual_pipeline", 12}, {"sequence", true}, {"zero_stage", 1}};
    document["execution"] = {{"framework", "nemo-2025"}};
    EXPECT_EQ(filledIn(read(document)).at("/execution/cuda_graphs"), Json(true));
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 32}};
    document["parallelism"]["pipeline"] = 8;
    EXPECT_EQ(filledIn(read(document)).at("/execution/cuda_graphs"), Json(false));
}

/// NeMo's recipes of mixtures drop what goes beyond an expert's room; Megatron-Core's README sends fine-grained experts on several nodes through DeepEP.
TEST(ExpertDefaults, AreThoseOfTheSoftware) {
    Json document = soundDocument();
    document["model"] = {{"preset", "mixtral-8x7b"}};
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 2}};
    document["parallelism"] = {{"expert", 8}, {"zero_stage", 1}};
    document["execution"] = {{"framework", "nemo-2025"}};
    EXPECT_EQ(filledIn(read(document)).at("/execution/moe_dispatch"), Json({{"capacity_factor", 1.0}}));
    document["execution"]["moe_dispatch"] = "dropless";
    EXPECT_EQ(read(document).scenario->execution.expertCapacity, 0);

    const auto dispatcher = [&](const char* model, const char* accelerator, int nodes) {
        document["model"] = {{"preset", model}};
        document["cluster"] = {{"accelerator", accelerator}, {"accelerators_per_node", 8}, {"nodes", nodes}};
        document["workload"]["precision"] = "bf16";
        document["execution"] = {{"framework", "megatron-core-2025"}};
        const ScenarioReading reading = read(document);
        return reading.scenario ? filledIn(reading).at("/execution/moe_dispatcher") : Json(listed(reading.problems));
    };
    EXPECT_EQ(dispatcher("qwen3-30b-a3b", "h100-sxm5-80gb", 2), Json("deepep"));
    EXPECT_EQ(dispatcher("qwen3-30b-a3b", "h100-sxm5-80gb", 1), Json("alltoall"));
    EXPECT_EQ(dispatcher("qwen3-30b-a3b", "a100-sxm4-80gb", 2), Json("alltoall")) << "DeepEP has no kernels for it";
    EXPECT_EQ(dispatcher("mixtral-8x7b", "h100-sxm5-80gb", 2), Json("alltoall")) << "two experts a token";
}

TEST(Releases, PickTheProfileWhereNoneIsNamed) {
    const std::map<std::string, std::string> profiles{{"Megatron-Bridge 26.04.01", "megatron-bridge-2025"}, {"megatron-bridge 26.08", "megatron-bridge-2026"}, {"NeMo 25.04", "nemo-2025"}};
    for (const auto& [version, profile] : profiles) {
        Json document = soundDocument();
        document["execution"] = {{"framework_version", version}};
        const ScenarioReading reading = read(document);
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        EXPECT_EQ(reading.scenario->execution.profile.id, profile);
        EXPECT_EQ(find(reading.problems, "release-outside-profile"), nullptr);
    }
    Json document = soundDocument();
    document["execution"] = {{"framework_version", "some build"}};
    EXPECT_EQ(read(document).scenario->execution.profile.id, catalog().newestFramework().id);
}

TEST(Releases, OutsideTheProfilesAreToldWithTheRightOne) {
    Json document = soundDocument();
    document["execution"] = {{"framework", "megatron-bridge-2026"}, {"framework_version", "26.04.01"}};
    const ScenarioReading reading = read(document);
    const Problem* problem = find(reading.problems, "release-outside-profile");
    ASSERT_NE(problem, nullptr) << listed(reading.problems);
    ASSERT_EQ(problem->edits.size(), 1u);
    EXPECT_EQ(*problem->edits[0].value, Json("megatron-bridge-2025"));
    document["execution"]["framework"] = "megatron-bridge-2025";
    EXPECT_EQ(find(read(document).problems, "release-outside-profile"), nullptr);
    document["execution"]["framework"] = "megatron-core-2025"; // states none
    EXPECT_EQ(find(read(document).problems, "release-outside-profile"), nullptr);
}

} // namespace
} // namespace orrery::test
