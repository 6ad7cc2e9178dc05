// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/catalog/collectives/library_catalog.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace orrery {
namespace {

Json document() { return Json::parse(resourceText("catalog/collectives.json")); }

/// The error that the shipped file gives after a change.
std::string errorAfter(const std::function<void(Json&)>& change) {
    Json changed = document();
    change(changed);
    try {
        LibraryCatalog::fromText(changed.dump());
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

void expectNamed(const std::string& error, const std::string& record, const std::string& field) {
    EXPECT_NE(error.find("collectives.json"), std::string::npos) << error;
    EXPECT_NE(error.find(record), std::string::npos) << error;
    EXPECT_NE(error.find(field), std::string::npos) << error;
}

TEST(LibraryCatalog, GivesEveryAcceleratorConstants) {
    const LibraryCatalog libraries = LibraryCatalog::fromText(resourceText("catalog/collectives.json"));
    const Catalog catalog = shippedCatalog();
    for (const Accelerator& accelerator : catalog.accelerators()) {
        const LibraryConstants constants = libraries.constants(accelerator.id);
        EXPECT_EQ(constants.accelerator, accelerator.id);
        EXPECT_GT(constants.launch, 0) << accelerator.id;
        EXPECT_GT(constants.ringShare, 0) << accelerator.id;
        EXPECT_FALSE(constants.source.empty()) << accelerator.id;
        // Nobody measured these with this library.
        if (accelerator.vendor == "Google") {
            EXPECT_FALSE(constants.measured) << accelerator.id;
            EXPECT_EQ(constants.inheritedFrom, "default");
        }
    }
}

TEST(LibraryCatalog, NamesOnlyAcceleratorsThatExist) {
    const Catalog catalog = shippedCatalog();
    const Json shipped = document();
    for (const Json& family : shipped.at("families")) {
        const auto id = family.at("accelerator").get<std::string>();
        if (id != "default") {
            EXPECT_NE(catalog.accelerator(id), nullptr) << id;
        }
        for (const Json& relative : family.value("stands_for", Json::array()))
            EXPECT_NE(catalog.accelerator(relative.get<std::string>()), nullptr) << relative;
    }
}

TEST(LibraryCatalog, DefinesEveryNumber) {
    const Json shipped = document();
    const Json& definitions = shipped.at("definitions");
    const auto expectDefined = [&definitions](const Json& record, const std::string& prefix) {
        for (const auto& [key, value] : record.items())
            if (value.is_number()) {
                EXPECT_TRUE(definitions.contains(prefix + key)) << prefix << key;
            }
    };
    expectDefined(shipped.at("library"), "");
    for (const Json& network : shipped.at("networks")) expectDefined(network, "networks.");
    for (const Json& family : shipped.at("families")) expectDefined(family, "");
}

TEST(LibraryCatalog, NetworksDiffer) {
    const LibraryCatalog libraries = LibraryCatalog::fromText(resourceText("catalog/collectives.json"));
    ASSERT_GE(libraries.networks().size(), 2u);
    const double first = libraries.constants("a100-sxm4-80gb").outStep;
    EXPECT_EQ(libraries.constants("a100-sxm4-80gb", "no such network").outStep, first);
    EXPECT_EQ(libraries.constants("a100-sxm4-80gb", libraries.networks().front()).outStep, first);
    EXPECT_NE(libraries.constants("a100-sxm4-80gb", libraries.networks().back()).outStep, first);
}

/// EFA of the A100's platforms is slower than the generation after it.
TEST(LibraryCatalog, ANetworksGenerationFollowsTheAccelerator) {
    const LibraryCatalog libraries = LibraryCatalog::fromText(resourceText("catalog/collectives.json"));
    const LibraryConstants a100 = libraries.constants("a100-sxm4-80gb", "efa"), h100 = libraries.constants("h100-sxm5-80gb", "efa");
    EXPECT_GT(a100.outStep, 2 * h100.outStep);
    EXPECT_FALSE(a100.outKeepsOrder);
    EXPECT_TRUE(h100.outKeepsOrder);
    EXPECT_EQ(libraries.constants("h100-sxm5-80gb", "infiniband").outStep, libraries.constants("a100-sxm4-80gb", "infiniband").outStep);
    const std::vector<std::string> names = libraries.networks();
    EXPECT_EQ(std::count(names.begin(), names.end(), "efa"), 1);
}

TEST(LibraryCatalog, NamesRecordAndFieldOfWhatIsMalformed) {
    EXPECT_THROW(LibraryCatalog::fromText("{"), std::runtime_error);
    EXPECT_THROW(LibraryCatalog::fromText("[]"), std::runtime_error);
    expectNamed(errorAfter([](Json& d) { d.erase("library"); }), "the file", "library");
    expectNamed(errorAfter([](Json& d) { d["library"].erase("peer_gap_steps"); }), "library", "peer_gap_steps");
    expectNamed(errorAfter([](Json& d) { d["families"][1]["ring_share"] = 1.5; }), "families[1]", "ring_share");
    expectNamed(errorAfter([](Json& d) { d["families"][1]["ring_share"] = 0; }), "families[1]", "ring_share");
    expectNamed(errorAfter([](Json& d) { d["families"][2]["launch_us"] = "soon"; }), "families[2]", "launch_us");
    expectNamed(errorAfter([](Json& d) { d["families"][2]["launch_us"] = -1; }), "families[2]", "launch_us");
    expectNamed(errorAfter([](Json& d) { d["families"][1]["accelerator"] = d["families"][0]["accelerator"]; }), "families[1]",
                "accelerator");
    expectNamed(errorAfter([](Json& d) { d["families"][0]["stands_for"] = 3; }), "families[0]", "stands_for");
    expectNamed(errorAfter([](Json& d) { d["networks"] = Json::array(); }), "networks", "list");
    expectNamed(errorAfter([](Json& d) { d["networks"][0].erase("share"); }), "networks[0]", "share");
    expectNamed(errorAfter([](Json& d) { d["networks"][1]["id"] = d["networks"][0]["id"]; }), "networks[1]", "id");
    expectNamed(errorAfter([](Json& d) { d["families"].erase(d["families"].size() - 1); }), "families", "default");
    EXPECT_EQ(errorAfter([](Json&) {}), "");
}

} // namespace
} // namespace orrery
