#include "core/evidence/error_bars.hpp"

#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/evidence/conformal.hpp"
#include "core/validation/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {

namespace {

constexpr std::size_t nearestListed = 5;

double logError(double measured, double predicted) { return std::abs(std::log(measured / predicted)); }

std::string shareText(int count, int runs, const std::string& what) {
    return (count == runs ? "all" : count == 0 ? "none" : std::to_string(count)) + " " + what;
}

std::string missingText(const ErrorBars::Known& known, const std::string& kind) {
    std::vector<std::string> missing;
    if (!known.accelerator) missing.push_back("on this accelerator or one like it");
    if (!known.framework) missing.push_back("with this framework");
    if (!known.kind) missing.push_back(kind == "moe" ? "of a model with experts" : "of a dense model");
    // Each for itself is there, but not together.
    if (missing.empty() && !known.stack) missing.push_back("with this framework on this accelerator or one like it");
    return missing.empty() ? std::string() : "No run was measured " + joinWords(missing, "or") + ".";
}

} // namespace

const MeasuredFigure* measuredFigureOf(const MeasuredRun& run, ErrorOf what) {
    // Time and rate of one run are one measurement: the first that is there stands for both.
    const std::vector<std::string_view> metrics = what == ErrorOf::time
                                                      ? std::vector<std::string_view>{"iteration_time_s", "tokens_per_s_per_accelerator", "tokens_per_s"}
                                                      : std::vector<std::string_view>{"peak_memory_bytes"};
    for (const std::string_view metric : metrics)
        for (const MeasuredFigure& figure : run.figures)
            if (figure.metric == metric) return &figure;
    return nullptr;
}

ErrorBars::ErrorBars(std::shared_ptr<const Evidence> evidence, const Catalog& catalog) : evidence_(std::move(evidence)) {
    std::map<std::pair<std::string, std::string>, std::size_t> pairs;
    for (std::size_t i = 0; i < evidence_->runs.size(); ++i) {
        const MeasuredRun& run = evidence_->runs[i];
        const std::size_t pair = pairs.try_emplace({run.model, run.accelerator}, pairs.size()).first->second;
        for (const ErrorOf what : {ErrorOf::time, ErrorOf::memory}) {
            const MeasuredFigure* figure = measuredFigureOf(run, what);
            if (figure == nullptr || !figure->predicted) continue;
            CalibrationRun one{i, traitsOf(run, catalog), pair, logError(figure->measured, *figure->predicted), 0, figure->predictedLeftOut.has_value()};
            one.leftOut = one.hasLeftOut ? logError(figure->measured, *figure->predictedLeftOut) : one.inSample;
            (what == ErrorOf::time ? time_ : memory_).push_back(std::move(one));
        }
    }
}

std::vector<ErrorBars::Near> ErrorBars::nearest(ErrorOf what, const RunTraits& traits, std::size_t heldOut) const {
    std::vector<Near> near;
    for (const CalibrationRun& run : runs(what))
        if (run.pair != heldOut) near.push_back({distance(traits, run.traits), &run});
    std::stable_sort(near.begin(), near.end(), [](const Near& a, const Near& b) { return a.distance < b.distance; });
    std::vector<std::size_t> pairs;
    std::size_t take = 0;
    // All runs as far away as the last one taken count too: which of them comes first is chance.
    while (take < near.size() && (pairs.size() < pairsWanted || near[take].distance <= near[take - 1].distance + 1e-12)) {
        if (std::find(pairs.begin(), pairs.end(), near[take].run->pair) == pairs.end()) pairs.push_back(near[take].run->pair);
        ++take;
    }
    near.resize(take);
    return near;
}

ErrorBars::Known ErrorBars::knownOf(ErrorOf what, const RunTraits& traits, std::size_t heldOut) const {
    Known known;
    for (const CalibrationRun& run : runs(what)) {
        if (run.pair == heldOut) continue;
        const bool accelerator = likeness(run.traits, traits) != AcceleratorLikeness::other;
        const bool framework = run.traits.framework == traits.framework;
        known.accelerator = known.accelerator || accelerator;
        known.framework = known.framework || framework;
        known.kind = known.kind || run.traits.kind == traits.kind;
        known.stack = known.stack || (accelerator && framework);
    }
    return known;
}

std::optional<ErrorBar> ErrorBars::bar(ErrorOf what, const RunTraits& traits, std::size_t heldOut) const {
    const std::vector<Near> near = nearest(what, traits, heldOut);
    const Known known = knownOf(what, traits, heldOut);
    std::map<std::size_t, int> runsOfPair;
    for (const Near& one : near) ++runsOfPair[one.run->pair];
    std::vector<WeightedScore> scores;
    for (const Near& one : near)
        scores.push_back({known.stack ? one.run->inSample : one.run->leftOut, 1.0 / runsOfPair[one.run->pair]});
    const std::optional<double> quantile = conformalQuantile(std::move(scores), level);
    if (!quantile) return std::nullopt;
    const bool anyLeftOut = std::any_of(near.begin(), near.end(), [](const Near& one) { return one.run->hasLeftOut; });
    ErrorBar bar = describe(near, traits, !known.stack && anyLeftOut, what);
    bar.missing = missingText(known, traits.kind);
    bar.factor = std::exp(*quantile);
    bar.pairs = static_cast<int>(runsOfPair.size());
    bar.basis = counted(bar.runs, "measured run") + " of " + counted(bar.pairs, "pair") + " of model and accelerator: " +
                shareText(bar.sameAccelerator + bar.likeAccelerator, bar.runs, "on this accelerator or one like it, ") +
                shareText(bar.sameFramework, bar.runs, "with this framework, ") +
                shareText(bar.sameKind, bar.runs, traits.kind == "moe" ? "with experts" : "dense") +
                (bar.leftOut ? "; errors of constants fitted without each run's group" : "");
    return bar;
}

ErrorBar ErrorBars::describe(const std::vector<Near>& near, const RunTraits& traits, bool leftOut, ErrorOf what) const {
    ErrorBar bar;
    bar.level = level;
    bar.leftOut = leftOut;
    bar.runs = static_cast<int>(near.size());
    bar.farthest = near.empty() ? 0 : near.back().distance;
    for (const Near& one : near) {
        switch (likeness(one.run->traits, traits)) {
        case AcceleratorLikeness::same: ++bar.sameAccelerator; break;
        case AcceleratorLikeness::like: ++bar.likeAccelerator; break;
        case AcceleratorLikeness::other: break;
        }
        if (one.run->traits.framework == traits.framework) ++bar.sameFramework;
        if (one.run->traits.kind == traits.kind) ++bar.sameKind;
    }
    // Nearest runs: of equally like ones those of a like size.
    std::vector<Near> closest = near;
    const auto sizeGap = [&traits](const Near& one) {
        return traits.parameters > 0 && one.run->traits.parameters > 0 ? std::abs(std::log2(one.run->traits.parameters / traits.parameters)) : 0;
    };
    std::stable_sort(closest.begin(), closest.end(), [&](const Near& a, const Near& b) {
        return a.distance != b.distance ? a.distance < b.distance : sizeGap(a) < sizeGap(b);
    });
    for (std::size_t i = 0; i < std::min(nearestListed, closest.size()); ++i) {
        const MeasuredRun& run = evidence_->runs[closest[i].run->run];
        const MeasuredFigure& figure = *measuredFigureOf(run, what);
        const double predicted = leftOut ? figure.predictedLeftOut.value_or(*figure.predicted) : *figure.predicted;
        bar.nearest.push_back({run.id, closest[i].distance, errorPercent(figure.metric, figure.measured, predicted), run.source});
    }
    return bar;
}

Uncertainty ErrorBars::of(const Scenario& scenario) const {
    const RunTraits traits = traitsOf(scenario);
    return {bar(ErrorOf::time, traits), bar(ErrorOf::memory, traits)};
}

void addErrorBars(Result& result, const ErrorBars& bars) {
    // A recorded graph is not what these runs were predicted from.
    if (result.training && !result.scenario.recorded) result.uncertainty = bars.of(result.scenario);
}

} // namespace orrery
