// SPDX-License-Identifier: GPL-3.0-or-later
// Every model of the reference: total and active parameters against its independent counts, or the reason for refusing it.
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"
#include "core/model/transformer_graph.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <set>

namespace orrery {
namespace {

Json referenceModels() { return Json::parse(test::readWholeFile(test::sharedPath("reference/models.json"))); }

std::string idOf(const Json& model) { return model.at("id").get<std::string>(); }

double elementsOf(const Graph& graph) {
    double elements = 0;
    for (const Operator& op : graph.forward) elements += op.weights + op.replicatedWeights;
    return elements;
}

/// The shipped config of a model. Where it differs from the reference's the difference is listed.
const Json& shippedConfig(const Catalog& catalog, const Json& model) {
    const ModelEntry* preset = catalog.model(idOf(model));
    EXPECT_NE(preset, nullptr) << idOf(model);
    return preset ? *preset->config : model.at("config");
}

TEST(ReferenceModels, TotalAndActiveParametersEqualTheIndependentCounts) {
    ORRERY_REQUIRE_SHARED("reference/models.json");
    const Catalog catalog = shippedCatalog();
    int compared = 0, activeCompared = 0, uncounted = 0, amended = 0;
    for (const Json& model : referenceModels()) {
        const std::string id = idOf(model);
        const Json& config = shippedConfig(catalog, model);
        Problems problems;
        const std::optional<Architecture> a = importArchitecture(config, "", problems);
        for (const Problem& problem : problems) ADD_FAILURE() << id << ": " << toText(problem);
        ASSERT_TRUE(a) << id;
        const auto total = static_cast<std::int64_t>(a->parameters()), active = static_cast<std::int64_t>(a->activeParameters());
        std::cout << "  " << id << ": " << total << ", active " << active;
        if (model.at("computed_params").is_null()) {
            std::cout << ", no count to compare with\n";
            ++uncounted;
            continue;
        }
        // Thirteen GPT shapes state tied embeddings and (by their type) biases, and count neither: Megatron's own convention,
        // which their shipped config states.
        const bool isAmended = config != model.at("config");
        EXPECT_TRUE(!isAmended || a->modelType == "gpt2") << id;
        amended += isAmended;
        const auto wanted = model.at("computed_params").get<std::int64_t>();
        EXPECT_EQ(total, wanted) << id;
        ++compared;
        std::cout << (total == wanted ? ", equal" : ", DIFFERENT");
        EXPECT_EQ(a->experts.has_value(), !model.at("computed_active_params").is_null()) << id;
        if (a->experts) {
            const auto wantedActive = model.at("computed_active_params").get<std::int64_t>();
            EXPECT_EQ(active, wantedActive) << id;
            ++activeCompared;
            std::cout << (active == wantedActive ? ", active equal" : ", active DIFFERENT");
        } else {
            EXPECT_EQ(active, total) << id;
        }
        std::cout << (isAmended ? ", config amended\n" : "\n");
    }
    std::cout << compared << " models compared, " << activeCompared << " of them with active parameters, " << uncounted << " without a count, " << amended << " with an amended config\n";
    EXPECT_EQ(compared, 100);
    EXPECT_EQ(activeCompared, 18);
    EXPECT_EQ(uncounted, 6);
    EXPECT_EQ(amended, 13);
}

/// The counts above are sums over an architecture's fields; the graphs carry weights operator by operator.
TEST(ReferenceModels, TheWeightsOfTheGraphsAreTheParameters) {
    ORRERY_REQUIRE_SHARED("reference/models.json");
    const Catalog catalog = shippedCatalog();
    for (const Json& model : referenceModels()) {
        Problems problems;
        const std::optional<Architecture> a = importArchitecture(shippedConfig(catalog, model), "", problems);
        if (!a) continue;
        const ModelPieces pieces = buildModelPieces(*a, {2, 512});
        double elements = elementsOf(pieces.embedding) + elementsOf(pieces.head);
        for (std::int64_t i = 0; i < a->layers; ++i) elements += elementsOf(pieces.layer(i));
        EXPECT_EQ(elements, a->parameters()) << idOf(model);
        ASSERT_EQ(pieces.nextToken.has_value(), a->nextTokenModules > 0) << idOf(model);
        if (pieces.nextToken) {
            EXPECT_EQ(double(a->nextTokenModules) * elementsOf(*pieces.nextToken), a->nextTokenParameters()) << idOf(model);
        }
    }
}

} // namespace
} // namespace orrery
