// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/length_edits.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace orrery {
namespace {

constexpr std::string_view ending = "/distribution";

// Where to start from, until somebody says more: a mean where nothing is said, and how far lengths spread about it.
constexpr double usualMean = 512, usualSpread = 0.5, usualExponent = 1;

double numberAt(const Json& law, const char* key, double otherwise) { return law.contains(key) && law.at(key).is_number() ? law.at(key).get<double>() : otherwise; }

double meanOf(const Json& law) {
    if (law.is_number()) return law.get<double>();
    if (!law.is_object()) return usualMean;
    const double most = numberAt(law, "max", 2 * usualMean);
    return numberAt(law, "mean", (numberAt(law, "min", 1) + most) / 2);
}

Json tokens(double number) { return std::max<std::int64_t>(1, std::llround(number)); }

} // namespace

bool isLengthDistribution(std::string_view pointer) {
    for (const std::string_view place : {std::string_view("/workload/requests/input_tokens"), std::string_view("/workload/requests/output_tokens")})
        if (pointer.size() == place.size() + ending.size() && pointer.substr(0, place.size()) == place && pointer.substr(place.size()) == ending) return true;
    return false;
}

std::vector<ScenarioEdit> lengthEdits(const Json& document, const ScenarioEdit& wanted) {
    const std::string place = wanted.pointer.substr(0, wanted.pointer.size() - ending.size());
    const Json::json_pointer at{place};
    const Json old = document.contains(at) ? document.at(at) : Json();
    const double mean = meanOf(old);
    if (wanted.value->is_null()) return {{place, tokens(mean)}};

    const std::string kind = wanted.value->get<std::string>();
    const auto is = [&](const char* word) { return kind == word; };
    const bool ranges = is("uniform") || is("zipf"), spreads = is("normal") || is("lognormal");
    Json law{{"distribution", kind}};
    const auto take = [&](const char* key, const Json& usual) { law[key] = old.is_object() && old.contains(key) ? old.at(key) : usual; };
    if (!ranges) take("mean", tokens(mean));
    if (spreads) take("std", tokens(mean * usualSpread));
    if (is("zipf")) take("exponent", usualExponent);
    // The limits of every distribution stay; a range needs them.
    for (const auto& [key, usual] : {std::pair{"min", Json(1)}, std::pair{"max", tokens(2 * mean)}})
        if (ranges || (old.is_object() && old.contains(key))) take(key, usual);
    if (law == old) return {};
    return {{place, std::move(law)}};
}

} // namespace orrery
