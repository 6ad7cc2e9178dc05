// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/novelty.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace orrery {
namespace {

constexpr double mostOctaves = 4;
constexpr double nearOctaves = 2; ///< between runs of about one size
constexpr double likeAccelerator = 0.5;

/// Octaves from `value` to the nearer end of what is known, 0 inside.
class KnownRange {
public:
    void add(double value) {
        if (!(value > 0)) return;
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
    double beyond(double value) const {
        if (!(value > 0) || low_ > high_) return 0;
        return std::min(mostOctaves, std::max({0.0, std::log2(low_ / value), std::log2(value / high_)}));
    }

private:
    double low_ = std::numeric_limits<double>::infinity(), high_ = 0;
};

/// Runs that may say what is new: of the run's framework; of others of its line; where there are neither, on a like accelerator, else all.
std::vector<std::vector<const RunTraits*>> poolsOf(const RunTraits& run, const std::vector<const RunTraits*>& known) {
    std::vector<std::vector<const RunTraits*>> pools;
    const auto add = [&](const auto& wanted) {
        std::vector<const RunTraits*> some;
        for (const RunTraits* one : known)
            if (wanted(*one)) some.push_back(one);
        if (!some.empty()) pools.push_back(std::move(some));
    };
    add([&](const RunTraits& one) { return one.framework == run.framework; });
    add([&](const RunTraits& one) { return one.framework != run.framework && frameworkDistance(one, run) < 1; });
    if (pools.empty()) add([&](const RunTraits& one) { return likeness(one, run) != AcceleratorLikeness::other; });
    if (pools.empty()) pools.push_back(known);
    return pools;
}

constexpr double toldOctaves = 0.05; ///< fewer would read "0.0 octaves"

std::string octavesText(double octaves, const char* what) {
    char text[64];
    std::snprintf(text, sizeof text, "%.1f octaves in the %s", octaves, what);
    return text;
}

} // namespace

namespace {

Novelty noveltyWithin(const RunTraits& run, const std::vector<const RunTraits*>& pool) {
    Novelty novelty;
    novelty.framework = 1;
    novelty.accelerator = 1;
    novelty.family = 1;
    int narrowest = pool.front()->bits;
    const bool sameKind = std::any_of(pool.begin(), pool.end(), [&](const RunTraits* one) { return one->kind == run.kind; });
    KnownRange accelerators, parameters;
    novelty.kind = sameKind ? 0 : 1;
    for (const RunTraits* one : pool) {
        novelty.framework = std::min(novelty.framework, frameworkDistance(*one, run));
        narrowest = std::min(narrowest, one->bits);
        const AcceleratorLikeness alike = likeness(*one, run);
        if (alike == AcceleratorLikeness::same) novelty.accelerator = 0;
        else if (alike == AcceleratorLikeness::like) novelty.accelerator = std::min(novelty.accelerator, likeAccelerator);
        if (one->family == run.family) novelty.family = 0;
        if (sameKind && one->kind != run.kind) continue;
        accelerators.add(one->accelerators);
        parameters.add(one->parameters);
    }
    novelty.accelerators = accelerators.beyond(run.accelerators);
    novelty.parameters = parameters.beyond(run.parameters);
    novelty.bits = std::max(0.0, std::log2(double(narrowest) / run.bits));
    return novelty;
}

/// What the parts of a novelty are assumed to widen a bar by, in sum.
double assumedWidth(const Novelty& novelty) {
    const Novelty& each = assumedWidths;
    return each.framework * novelty.framework + each.accelerator * novelty.accelerator + each.family * novelty.family + each.kind * novelty.kind + each.accelerators * novelty.accelerators +
           each.parameters * novelty.parameters + each.bits * novelty.bits;
}

} // namespace

Novelty noveltyOf(const RunTraits& run, const std::vector<const RunTraits*>& known) {
    // Runs of its own framework that are of another kind, or far smaller, may say less than near ones of a neighbour in its line.
    Novelty least;
    double width = std::numeric_limits<double>::infinity();
    for (const auto& pool : poolsOf(run, known)) {
        const Novelty novelty = noveltyWithin(run, pool);
        if (const double assumed = assumedWidth(novelty); assumed < width) {
            least = novelty;
            width = assumed;
        }
    }
    return least;
}

bool knowsStack(const RunTraits& run, const std::vector<const RunTraits*>& known) {
    const auto near = [](double a, double b) { return a > 0 && b > 0 && std::abs(std::log2(a / b)) <= nearOctaves; };
    return std::any_of(known.begin(), known.end(), [&](const RunTraits* one) {
        return one->framework == run.framework && one->kind == run.kind && one->queued == run.queued && likeness(*one, run) != AcceleratorLikeness::other &&
               near(one->accelerators, run.accelerators) && near(one->parameters, run.parameters);
    });
}

std::string noveltyText(const Novelty& novelty) {
    std::vector<std::string> parts;
    if (novelty.framework > 0) parts.push_back(novelty.framework < 1 ? "another framework of its line" : "another framework");
    if (novelty.accelerator > 0) parts.push_back(novelty.accelerator < 1 ? "a like accelerator" : "another accelerator");
    if (novelty.family > 0) parts.push_back("another family of models");
    if (novelty.kind > 0) parts.push_back("another kind of model");
    if (novelty.accelerators >= toldOctaves) parts.push_back(octavesText(novelty.accelerators, "number of accelerators"));
    if (novelty.parameters >= toldOctaves) parts.push_back(octavesText(novelty.parameters, "size of the model"));
    if (novelty.bits > 0) parts.push_back("narrower products");
    return parts.empty() ? std::string() : joinWords(parts, "and");
}

namespace {

constexpr double nearReach = 0.5; ///< of a distance: within it the nearest runs count
constexpr double wideReach = 2;
constexpr double widePairs = 2;    ///< pairs that the wider neighbourhood counts as
constexpr double outlierError = 1; ///< of a logarithm: an outlier counts as far off, and not as more

/// The weighted mean over pairs, and what it weighs.
std::pair<double, double> weightedMean(const std::vector<Neighbour>& around, double reach) {
    struct Pair {
        double error = 0, weight = 0, nearest = 0;
    };
    std::size_t count = 0;
    for (const Neighbour& one : around) count = std::max(count, one.pair + 1);
    std::vector<Pair> pairs(count);
    for (const Neighbour& one : around) {
        const double weight = std::exp(-one.distance / reach);
        Pair& pair = pairs[one.pair];
        pair.error += std::min(one.error, outlierError) * one.runs * weight;
        pair.weight += one.runs * weight;
        pair.nearest = std::max(pair.nearest, weight);
    }
    double sum = 0, total = 0;
    for (const Pair& pair : pairs) {
        if (pair.weight <= 0) continue;
        sum += pair.error / pair.weight * pair.nearest;
        total += pair.nearest;
    }
    return {total > 0 ? sum / total : 0, total};
}

} // namespace

double nearError(const std::vector<Neighbour>& around) {
    const auto [near, weight] = weightedMean(around, nearReach);
    const double wide = weightedMean(around, wideReach).first;
    return (near * weight + wide * widePairs) / (weight + widePairs);
}

} // namespace orrery
