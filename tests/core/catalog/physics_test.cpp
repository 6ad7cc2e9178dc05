// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the world stand in the catalogue, each with its source, its range and a sentence that explains it.

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "resources/resources.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace orrery {
namespace {

Json shippedPhysics() { return Json::parse(resourceText("catalog/physics.json")); }

/// What reading the catalogue says when one of its files is another one; empty where it is read.
std::string refusalOf(std::string_view file, const std::string& content) {
    try {
        Catalog::fromText([&](std::string_view name) { return name == file ? std::string_view(content) : resourceText("catalog/" + std::string(name)); });
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

TEST(PhysicsConstants, EachHasASourceARangeAndAnExplanation) {
    const Json constants = shippedPhysics().at("constants");
    const PhysicsConstants& physics = test::catalog().physics();
    std::set<std::string> explanations;
    for (const auto& [id, record] : constants.items()) {
        SCOPED_TRACE(id);
        const double value = record.at("value").get<double>();
        EXPECT_GE(value, record.at("range").at(0).get<double>());
        EXPECT_LE(value, record.at("range").at(1).get<double>());
        EXPECT_GT(record.at("source").get<std::string>().size(), 10U);
        const std::string explanation = record.at("explanation").get<std::string>();
        EXPECT_TRUE(explanation.ends_with('.'));
        EXPECT_TRUE(explanations.insert(explanation).second) << "one sentence explains two constants";
    }
    ASSERT_TRUE(physics.entries);
    EXPECT_EQ(physics.entries->size(), constants.size());
}

TEST(PhysicsConstants, ReachTheCodeAsTheFileStatesThem) {
    const Json constants = shippedPhysics().at("constants");
    const PhysicsConstants& physics = test::catalog().physics();
    for (const PhysicsName& name : physicsNames()) {
        SCOPED_TRACE(name.id);
        const Json& record = constants.at(name.id);
        EXPECT_EQ(physics.*name.member, record.at("value").get<double>());
        EXPECT_EQ(physics.sourceOf(name.member), record.at("source").get<std::string>());
        ASSERT_NE(physics.entry(name.member), nullptr);
        EXPECT_EQ(physics.entry(name.member)->explanation, record.at("explanation").get<std::string>());
        // Whichever accelerator a scenario names, its kernels' constants bring them along.
        for (const Accelerator& accelerator : test::catalog().accelerators())
            EXPECT_EQ(test::catalog().kernels(accelerator).physics.*name.member, physics.*name.member) << accelerator.id;
    }
}

struct Damage {
    std::string pointer; ///< what is damaged, and what the refusal must name
    Json value;          ///< null: taken away
};

TEST(PhysicsConstants, DamagedOnesAreRefusedByTheirPlace) {
    const std::string permute = "/constants/permute_rate_of_stream";
    const Damage cases[] = {
        {permute + "/value", 2},
        {permute + "/value", 0},
        {permute + "/value", "fast"},
        {permute + "/value", nullptr},
        {permute + "/range", Json::array({1, 0.5})},
        {permute + "/range", Json::array({0.5})},
        {permute + "/range/1", "much"},
        {permute + "/range", nullptr},
        {permute + "/unit", "bytes"},
        {permute + "/unit", nullptr},
        {permute + "/source", ""},
        {permute + "/source", "  "},
        {permute + "/source", 7},
        {permute + "/source", nullptr},
        {permute + "/explanation", ""},
        {permute + "/explanation", nullptr},
        {permute + "/sauce", "a typing mistake"},
        {permute, 0.75},
        {permute, nullptr},
        {"/constants/permute_rate", Json::object()},
        {"/constants", nullptr},
        {"/format", "orrery-kernels/1"},
        {"/format", nullptr},
    };
    EXPECT_EQ(refusalOf("physics.json", shippedPhysics().dump()), "");
    for (const Damage& damage : cases) {
        SCOPED_TRACE(damage.pointer + " = " + damage.value.dump());
        Json document = shippedPhysics();
        const Json::json_pointer place(damage.pointer);
        if (damage.value.is_null()) document[place.parent_pointer()].erase(place.back());
        else document[place] = damage.value;
        const std::string why = refusalOf("physics.json", document.dump());
        EXPECT_NE(why.find("physics.json, " + damage.pointer), std::string::npos) << why;
    }
    EXPECT_NE(refusalOf("physics.json", ""), "");
    EXPECT_NE(refusalOf("physics.json", "[]").find("/format"), std::string::npos);
}

TEST(PhysicsConstants, StandOnce) {
    std::string text(resourceText("catalog/physics.json"));
    const std::string key = "\"constants\": {";
    const std::size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos);
    text.insert(at + key.size(), shippedPhysics().at("constants").at("warm_share").dump().insert(0, "\"warm_share\": ") + ",");
    EXPECT_NE(refusalOf("physics.json", text).find("\"warm_share\" stands twice"), std::string::npos) << refusalOf("physics.json", text);
    std::set<std::string> ids;
    for (const PhysicsName& name : physicsNames()) EXPECT_TRUE(ids.insert(name.id).second) << name.id;
}

TEST(PhysicsConstants, WithoutACatalogueAreNeutral) {
    const PhysicsConstants none;
    EXPECT_EQ(none.permuteRate, 1);
    EXPECT_EQ(none.rooflineLaunch, 0);
    EXPECT_EQ(none.entry(&PhysicsConstants::permuteRate), nullptr);
    EXPECT_EQ(none.sourceOf(&PhysicsConstants::permuteRate), "");
}

TEST(KernelRates, OutOfRangeOrWithoutASourceAreRefused) {
    const Json shipped = Json::parse(resourceText("catalog/kernels.json"));
    const auto whyNot = [&](const std::function<void(Json&)>& damage) {
        Json document = shipped;
        damage(document);
        return refusalOf("kernels.json", document.dump());
    };
    EXPECT_EQ(whyNot([](Json&) {}), "");
    const std::string fast = whyNot([](Json& document) { document["kernels"][1]["gemm_rate_of_peak"] = 1.5; });
    EXPECT_NE(fast.find("kernels.json, kernels[1]"), std::string::npos) << fast;
    EXPECT_NE(fast.find("gemm_rate_of_peak"), std::string::npos) << fast;
    const std::string unsourced = whyNot([](Json& document) { document["kernels"][2].erase("source"); });
    EXPECT_NE(unsourced.find("kernels[2]"), std::string::npos) << unsourced;
    const auto isDefault = [](const Json& record) { return record.at("accelerator") == "default"; };
    for (const auto& [key, range] : shipped.at("ranges").items()) {
        SCOPED_TRACE(key);
        EXPECT_TRUE(shipped.at("definitions").contains(key)) << "a rate that nothing defines";
        const std::string missing = whyNot([&, name = key](Json& document) {
            for (Json& record : document["kernels"])
                if (isDefault(record)) record.erase(name);
        });
        EXPECT_NE(missing.find(key), std::string::npos) << missing;
    }
}

} // namespace
} // namespace orrery
