// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/recipes.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

namespace orrery {
namespace {

constexpr const char* recipesFormat = "orrery-recipes/1";

std::size_t releaseIndex(const RecipeSet& set, const std::string& release) {
    const auto found = std::find(set.releases.begin(), set.releases.end(), release);
    if (found == set.releases.end()) throw std::runtime_error("catalogue recipes.json: no release " + release);
    return static_cast<std::size_t>(found - set.releases.begin());
}

RecipeSet readSet(const Json& record) {
    RecipeSet set;
    set.profiles = record.at("profiles").get<std::vector<std::string>>();
    set.releases = record.at("all_releases").get<std::vector<std::string>>();
    set.source = record.at("source").get<std::string>();
    for (const auto& [id, model] : record.at("models").items())
        set.models.push_back({id, model.at("layers").get<int>(), model.at("hidden").get<int>(), model.at("experts").get<int>()});
    for (const Json& each : record.at("recipes")) {
        Recipe recipe;
        recipe.model = each.at("model").get<std::string>();
        recipe.accelerator = each.at("accelerator").get<std::string>();
        recipe.precisions = each.at("precisions").get<std::vector<std::string>>();
        recipe.releases = {releaseIndex(set, each.at("releases").at(0).get<std::string>()), releaseIndex(set, each.at("releases").at(1).get<std::string>())};
        recipe.accelerators = each.at("accelerators").get<int>();
        recipe.globalBatch = each.at("global_batch_size").get<int>();
        recipe.execution = each.at("execution");
        const bool known = std::any_of(set.models.begin(), set.models.end(), [&](const RecipeSet::Model& model) { return model.id == recipe.model; });
        if (!known || recipe.releases[0] > recipe.releases[1] || recipe.accelerators < 1 || recipe.globalBatch < 1)
            throw std::runtime_error("catalogue recipes.json: a recipe of " + recipe.model + " can't be");
        set.recipes.push_back(std::move(recipe));
    }
    return set;
}

/// The newest of the set's releases that is no newer than the one asked for, or the oldest; the newest of all where none is asked for.
std::size_t releaseOf(const RecipeSet& set, std::string_view asked) {
    const std::vector<int> numbers = releaseNumbers(asked);
    if (numbers.empty()) return set.releases.size() - 1;
    std::size_t best = 0;
    for (std::size_t i = 0; i < set.releases.size(); ++i)
        if (releaseNumbers(set.releases[i]) <= numbers) best = i;
    return best;
}

std::size_t distance(const Recipe& recipe, std::size_t release) {
    if (release < recipe.releases[0]) return recipe.releases[0] - release;
    return release > recipe.releases[1] ? release - recipe.releases[1] : 0;
}

/// How far apart two sizes are, in powers of two.
double apart(int one, int other) { return std::abs(std::log2(double(std::max(1, one)) / std::max(1, other))); }

} // namespace

std::vector<int> releaseNumbers(std::string_view release) {
    std::vector<int> numbers;
    const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::size_t at = 0;
    while (at < release.size() && !isDigit(release[at])) ++at;
    while (at < release.size() && isDigit(release[at])) {
        int number = 0;
        const auto [end, fault] = std::from_chars(release.data() + at, release.data() + release.size(), number);
        if (fault != std::errc()) return {};
        numbers.push_back(number);
        at = static_cast<std::size_t>(end - release.data());
        if (at < release.size() && release[at] == '.') ++at;
    }
    return numbers;
}

std::vector<RecipeSet> RecipeSet::fromText(std::string_view text) {
    std::vector<RecipeSet> sets;
    try {
        const Json document = Json::parse(text);
        if (document.at("format") != recipesFormat) throw std::runtime_error(std::string("format must be ") + recipesFormat);
        for (const Json& record : document.at("sets")) sets.push_back(readSet(record));
    } catch (const Json::exception& fault) {
        throw std::runtime_error(std::string("catalogue recipes.json: ") + fault.what());
    }
    return sets;
}

const Recipe* recipeFor(const std::vector<RecipeSet>& sets, const RecipeQuestion& question) {
    for (const RecipeSet& set : sets) {
        if (std::find(set.profiles.begin(), set.profiles.end(), question.profile) == set.profiles.end()) continue;
        const auto model = std::find_if(set.models.begin(), set.models.end(), [&](const RecipeSet::Model& each) {
            return each.layers == question.layers && each.hidden == question.hidden && each.experts == question.experts;
        });
        if (model == set.models.end()) continue;
        const std::size_t release = releaseOf(set, question.release);
        const Recipe* best = nullptr;
        std::tuple<std::size_t, double, double> least;
        for (const Recipe& recipe : set.recipes) {
            const bool fits = recipe.model == model->id && recipe.accelerator == question.accelerator &&
                              std::find(recipe.precisions.begin(), recipe.precisions.end(), question.precision) != recipe.precisions.end();
            if (!fits) continue;
            const std::tuple far{distance(recipe, release), apart(recipe.accelerators, question.accelerators), apart(recipe.globalBatch, question.globalBatch)};
            if (best && far >= least) continue;
            best = &recipe;
            least = far;
        }
        return best;
    }
    return nullptr;
}

} // namespace orrery
