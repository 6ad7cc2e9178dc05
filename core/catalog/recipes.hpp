// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What a publisher's own recipe sets for a model on an accelerator.
struct Recipe {
    std::string model, accelerator;
    std::vector<std::string> precisions;
    std::array<std::size_t, 2> releases{}; ///< first and last, indices into RecipeSet::releases
    int accelerators = 1;
    int globalBatch = 1;
    BoxedJson execution; ///< fragment of a scenario's `execution`
};

/// The recipes of one software.
struct RecipeSet {
    struct Model {
        std::string id;
        int layers = 0, hidden = 0, experts = 0;
    };
    std::vector<std::string> profiles;
    std::vector<std::string> releases; ///< oldest first
    std::vector<Model> models;
    std::vector<Recipe> recipes;
    std::string source;

    /// Reads the text of recipes.json; throws std::runtime_error that says what is wrong.
    static std::vector<RecipeSet> fromText(std::string_view text);
};

/// What a job is, as far as recipes tell jobs apart.
struct RecipeQuestion {
    std::string_view profile, accelerator, precision;
    int layers = 0, hidden = 0, experts = 0;
    std::string_view release; ///< "26.04.01", "v26.04", "Megatron-Bridge 26.04"; one that is no number: the newest
    int accelerators = 1, globalBatch = 1;
};

/// The recipe of the job's model, accelerator and precision: of those of its release, else of the nearest, the one nearest in accelerators,
/// then in global batch. Null where there is none of the three.
const Recipe* recipeFor(const std::vector<RecipeSet>& sets, const RecipeQuestion& question);

/// The numbers of a release's name, "v26.04.01" {26, 4, 1}; empty where it has none.
std::vector<int> releaseNumbers(std::string_view release);

} // namespace orrery
