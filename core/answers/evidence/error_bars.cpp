// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/error_bars.hpp"

#include "core/answers/evidence/bar_width.hpp"
#include "core/answers/evidence/evidence.hpp"
#include "core/answers/evidence/novelty.hpp"
#include "core/answers/validation/score.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace orrery {
namespace {

constexpr std::size_t nearestListed = 5;
constexpr double widestFactor = 30; ///< a wider bar would say no more than that nothing is known

/// Runs of new sources lie outside bars made of pairs more often than runs of new pairs do, by these shares of the runs: of times by 6 %, for a framework
/// without runs may do anything; of peaks by 4 %, of what is served by 2 to 3 %. Times of known stacks have some two constants for each source, so that runs
/// that were not fitted to err a little more.
WidthMargins marginsOf(ErrorOf what) {
    switch (what) {
    case ErrorOf::time: return {0.01, 0.065};
    case ErrorOf::output_rate: return {0, 0.03};
    case ErrorOf::memory: return {0, 0.04};
    case ErrorOf::first_token:
    case ErrorOf::per_token: break;
    }
    return {0, 0.02};
}

/// Time and rate of one run are one measurement: the first that is there stands for both.
std::vector<std::string_view> metricsOf(ErrorOf what) {
    switch (what) {
    case ErrorOf::time: return {"iteration_time_s", "tokens_per_s_per_accelerator", "tokens_per_s"};
    case ErrorOf::memory: return {"peak_memory_bytes"};
    case ErrorOf::first_token: return {"ttft_s", "ttft_s.mean", "ttft_s.p50"};
    case ErrorOf::per_token: return {"tpot_s", "tpot_s.mean", "tpot_s.p50"};
    case ErrorOf::output_rate: break;
    }
    return {"output_tokens_per_s", "request_latency_s"};
}

double logError(double measured, double predicted) { return std::abs(std::log(measured / predicted)); }

std::string shareText(int count, int runs, const std::string& what) {
    return (count == runs ? "all" : count == 0 ? "none"
                                               : std::to_string(count)) +
           " " + what;
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
    for (const std::string_view metric : metricsOf(what))
        for (const MeasuredFigure& figure : run.figures)
            if (figure.metric == metric) return &figure;
    return nullptr;
}

ErrorBars::ErrorBars(std::shared_ptr<const Evidence> evidence, const Catalog& catalog) : evidence_(std::move(evidence)) {
    // Numbered by the runs' names, so that sums come out the same whatever the order of the evidence.
    const std::size_t count = evidence_->runs.size();
    std::vector<std::size_t> order(count), rank(count), pair(count), source(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return evidence_->runs[a].id < evidence_->runs[b].id; });
    std::map<std::pair<std::string, std::string>, std::size_t> pairs;
    std::map<std::size_t, std::size_t> sources;
    const std::vector<std::size_t> sourceOf = sourcesOf(*evidence_);
    for (std::size_t place = 0; place < count; ++place) {
        const std::size_t i = order[place];
        rank[i] = place;
        pair[i] = pairs.try_emplace({evidence_->runs[i].model, evidence_->runs[i].accelerator}, pairs.size()).first->second;
        source[i] = sources.try_emplace(sourceOf[i], sources.size()).first->second;
    }
    RunsByKind runs;
    for (std::size_t i = 0; i < count; ++i) {
        const MeasuredRun& run = evidence_->runs[i];
        std::optional<RunTraits> traits;
        for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
            const ErrorOf what = kind.value;
            const MeasuredFigure* figure = measuredFigureOf(run, what);
            if (figure == nullptr || !figure->predicted) continue;
            if (!traits) traits = traitsOf(run, catalog);
            CalibrationRun one{i, rank[i], *traits, pair[i], source[i], logError(figure->measured, *figure->predicted), 0, figure->predictedLeftOut.has_value()};
            one.leftOut = one.hasLeftOut ? logError(figure->measured, *figure->predictedLeftOut) : one.inSample;
            runs[static_cast<std::size_t>(what)].push_back(std::move(one));
        }
    }
    keep(std::move(runs));
}

ErrorBars::ErrorBars(std::shared_ptr<const Evidence> evidence, RunsByKind runs) : evidence_(std::move(evidence)) { keep(std::move(runs)); }

void ErrorBars::keep(RunsByKind runs) {
    for (std::size_t what = 0; what < fitted_.size(); ++what) {
        fitted_[what] = std::make_shared<Fitted>();
        fitted_[what]->runs = std::move(runs[what]);
    }
}

const ErrorBars::Kept& ErrorBars::of(ErrorOf what) const {
    Fitted& fitted = *fitted_[static_cast<std::size_t>(what)];
    std::call_once(fitted.once, [&] { fitted.kept = kept(std::move(fitted.runs), what); });
    return fitted.kept;
}

ErrorBars ErrorBars::without(ErrorOf what, const std::function<bool(const CalibrationRun&)>& unmeasured) const {
    RunsByKind rest;
    std::vector<CalibrationRun>& runs = rest[static_cast<std::size_t>(what)];
    runs = of(what).runs;
    std::erase_if(runs, unmeasured);
    return {evidence_, std::move(rest)};
}

ErrorBars::Kept ErrorBars::kept(std::vector<CalibrationRun> runs, ErrorOf what) {
    Kept result;
    result.runs = std::move(runs);
    std::map<std::tuple<std::size_t, std::size_t, bool, std::string, std::string, std::string, int, double, double>, std::size_t> places;
    std::vector<std::size_t> order(result.runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return result.runs[a].rank < result.runs[b].rank; });
    for (const std::size_t i : order) {
        const CalibrationRun& run = result.runs[i];
        const RunTraits& t = run.traits;
        const auto [place, fresh] =
            places.try_emplace({run.source, run.pair, t.queued, t.framework, t.kind, t.family, t.bits, t.accelerators, t.parameters}, result.cells.size());
        if (fresh) result.cells.push_back({t, run.pair, run.source, {}, 0, 0});
        Cell& cell = result.cells[place->second];
        cell.runs.push_back(i);
        cell.meanError += (run.inSample - cell.meanError) / double(cell.runs.size());
        cell.meanLeftOut += (run.leftOut - cell.meanLeftOut) / double(cell.runs.size());
    }
    std::vector<WidthRow> rows;
    for (const Cell& own : result.cells) {
        std::vector<double> fromOwn;
        fromOwn.reserve(result.cells.size());
        for (const Cell& cell : result.cells) fromOwn.push_back(distance(own.traits, cell.traits));
        for (const bool sourceIsOut : {false, true}) {
            std::vector<const Cell*> known;
            std::vector<const RunTraits*> knownTraits;
            std::vector<double> distances;
            for (std::size_t i = 0; i < result.cells.size(); ++i) {
                const Cell& cell = result.cells[i];
                if (sourceIsOut ? cell.source == own.source : cell.pair == own.pair) continue;
                known.push_back(&cell);
                knownTraits.push_back(&cell.traits);
                distances.push_back(fromOwn[i]);
            }
            if (known.empty()) continue;
            WidthRow row;
            row.known = knowsStack(own.traits, knownTraits);
            row.terms = terms(known, distances, own.traits, row.known);
            row.queued = own.traits.queued;
            row.pair = own.pair;
            row.sourceIsOut = sourceIsOut;
            for (const std::size_t run : own.runs) {
                row.error = row.known && !sourceIsOut ? result.runs[run].inSample : result.runs[run].leftOut;
                rows.push_back(row);
            }
        }
    }
    result.widths = WidthModels(rows, level, marginsOf(what));
    return result;
}

std::vector<ErrorBars::Near> ErrorBars::nearest(const std::vector<const Cell*>& cells, const RunTraits& traits) {
    std::vector<Near> near;
    near.reserve(cells.size());
    for (const Cell* cell : cells) near.push_back({distance(traits, cell->traits), cell});
    std::stable_sort(near.begin(), near.end(), [](const Near& a, const Near& b) { return a.distance < b.distance; });
    std::vector<std::size_t> pairs;
    std::size_t take = 0;
    // All runs as far away as the last one taken count too: which of them comes first is chance.
    while (take < near.size() && (pairs.size() < pairsWanted || near[take].distance <= near[take - 1].distance + 1e-12)) {
        if (std::find(pairs.begin(), pairs.end(), near[take].cell->pair) == pairs.end()) pairs.push_back(near[take].cell->pair);
        ++take;
    }
    near.resize(take);
    return near;
}

WidthTerms ErrorBars::terms(const std::vector<const Cell*>& cells, const std::vector<double>& distances, const RunTraits& traits, bool known) {
    std::vector<const RunTraits*> knownTraits;
    std::vector<Neighbour> around;
    knownTraits.reserve(cells.size());
    around.reserve(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Cell& cell = *cells[i];
        knownTraits.push_back(&cell.traits);
        around.push_back({distances[i], cell.pair, double(cell.runs.size()), known ? cell.meanError : cell.meanLeftOut});
    }
    return widthTerms(nearError(around), noveltyOf(traits, knownTraits));
}

ErrorBars::Known ErrorBars::knownOf(ErrorOf what, const RunTraits& traits) const {
    Known known;
    for (const CalibrationRun& run : runs(what)) {
        const bool accelerator = likeness(run.traits, traits) != AcceleratorLikeness::other;
        const bool framework = run.traits.framework == traits.framework;
        known.accelerator = known.accelerator || accelerator;
        known.framework = known.framework || framework;
        known.kind = known.kind || run.traits.kind == traits.kind;
        known.stack = known.stack || (accelerator && framework);
    }
    return known;
}

double ErrorBars::errorAround(ErrorOf what, const RunTraits& traits, bool known, const CalibrationRun* own) const {
    std::vector<Neighbour> around;
    for (const Cell& cell : of(what).cells) {
        if (own != nullptr && (known ? cell.pair == own->pair : cell.source == own->source)) continue;
        around.push_back({distance(traits, cell.traits), cell.pair, double(cell.runs.size()), known ? cell.meanError : cell.meanLeftOut});
    }
    return around.empty() ? 0 : nearError(around);
}

bool ErrorBars::knows(ErrorOf what, const RunTraits& traits) const {
    std::vector<const RunTraits*> all;
    for (const Cell& cell : of(what).cells) all.push_back(&cell.traits);
    return knowsStack(traits, all);
}

std::optional<ErrorBar> ErrorBars::bar(ErrorOf what, const RunTraits& traits) const {
    const Kept& from = of(what);
    if (from.cells.empty()) return std::nullopt;
    std::vector<const Cell*> cells;
    std::vector<const RunTraits*> allTraits;
    for (const Cell& cell : from.cells) {
        cells.push_back(&cell);
        allTraits.push_back(&cell.traits);
    }
    std::vector<double> distances;
    for (const Cell* cell : cells) distances.push_back(distance(traits, cell->traits));
    const std::vector<Near> near = nearest(cells, traits);
    const Novelty novelty = noveltyOf(traits, allTraits);
    const bool knows = knowsStack(traits, allTraits);
    const std::optional<double> half = from.widths.of(knows, traits.queued).halfWidth(terms(cells, distances, traits, knows));
    if (!half) return std::nullopt;
    const Known known = knownOf(what, traits);
    const bool anyLeftOut = std::any_of(from.runs.begin(), from.runs.end(), [](const CalibrationRun& run) { return run.hasLeftOut; });
    ErrorBar bar = describe(near, traits, !knows && anyLeftOut, what);
    bar.missing = missingText(known, traits.kind);
    bar.factor = std::min(widestFactor, std::exp(*half));
    const std::string wider = noveltyText(novelty);
    bar.basis = counted(bar.runs, "measured run") + " of " + counted(bar.pairs, "pair") + " of model and accelerator: " +
                shareText(bar.sameAccelerator + bar.likeAccelerator, bar.runs, "on this accelerator or one like it, ") +
                shareText(bar.sameFramework, bar.runs, "with this framework, ") +
                shareText(bar.sameKind, bar.runs, traits.kind == "moe" ? "with experts" : "dense") + (wider.empty() ? "" : "; wider for " + wider);
    return bar;
}

ErrorBar ErrorBars::describe(const std::vector<Near>& near, const RunTraits& traits, bool leftOut, ErrorOf what) const {
    ErrorBar bar;
    bar.level = level;
    bar.leftOut = leftOut;
    bar.farthest = near.empty() ? 0 : near.back().distance;
    std::set<std::size_t> pairs;
    for (const Near& one : near) {
        const int runs = static_cast<int>(one.cell->runs.size());
        bar.runs += runs;
        pairs.insert(one.cell->pair);
        switch (likeness(one.cell->traits, traits)) {
        case AcceleratorLikeness::same: bar.sameAccelerator += runs; break;
        case AcceleratorLikeness::like: bar.likeAccelerator += runs; break;
        case AcceleratorLikeness::other: break;
        }
        if (one.cell->traits.framework == traits.framework) bar.sameFramework += runs;
        if (one.cell->traits.kind == traits.kind) bar.sameKind += runs;
    }
    bar.pairs = static_cast<int>(pairs.size());
    // Nearest runs: of equally like ones those of a like size.
    std::vector<Near> closest = near;
    const auto sizeGap = [&traits](const Near& one) {
        const double size = one.cell->traits.parameters;
        return traits.parameters > 0 && size > 0 ? std::abs(std::log2(size / traits.parameters)) : 0;
    };
    std::stable_sort(closest.begin(), closest.end(), [&](const Near& a, const Near& b) {
        return a.distance != b.distance ? a.distance < b.distance : sizeGap(a) < sizeGap(b);
    });
    for (const Near& one : closest) {
        for (const std::size_t index : one.cell->runs) {
            if (bar.nearest.size() == nearestListed) return bar;
            const MeasuredRun& run = evidence_->runs[of(what).runs[index].run];
            const MeasuredFigure& figure = *measuredFigureOf(run, what);
            const double predicted = leftOut ? figure.predictedLeftOut.value_or(*figure.predicted) : *figure.predicted;
            bar.nearest.push_back({run.id, one.distance, errorPercent(figure.metric, figure.measured, predicted), run.source});
        }
    }
    return bar;
}

Uncertainty ErrorBars::of(const Scenario& scenario) const {
    const RunTraits traits = traitsOf(scenario);
    Uncertainty uncertainty;
    const std::vector<ErrorOf> shown = scenario.isTraining() ? std::vector{ErrorOf::time, ErrorOf::memory}
                                                             : std::vector{ErrorOf::first_token, ErrorOf::per_token, ErrorOf::output_rate};
    for (const ErrorOf what : shown) uncertainty.of(what) = bar(what, traits);
    return uncertainty;
}

namespace {

/// An answer takes its first token's time and that of those after it. Where both are surer than what was measured of whole answers or of rates with a
/// like stack, answers are as unsure as they are, as if both erred the same way: of a batch, and of streams that ask again as soon as they are answered.
void useParts(Uncertainty& uncertainty, double firstToken, double latency) {
    const std::optional<ErrorBar>&first = uncertainty.of(ErrorOf::first_token), &next = uncertainty.of(ErrorOf::per_token);
    std::optional<ErrorBar>& whole = uncertainty.of(ErrorOf::output_rate);
    if (!first || !next || latency <= 0) return;
    const double share = std::clamp(firstToken / latency, 0.0, 1.0);
    const double factor = std::pow(first->factor, share) * std::pow(next->factor, 1 - share);
    if (whole && whole->factor <= factor) return;
    whole = share > 0.5 ? first : next;
    whole->factor = factor;
    whole->basis = "as the first token and those after it, the larger part of it: " + whole->basis;
}

} // namespace

void addErrorBars(Result& result, const ErrorBars& bars) {
    // A recorded graph is not what these runs were predicted from, and a toy's times are stated.
    if (result.scenario.recorded() || result.scenario.model.toy) return;
    result.uncertainty = bars.of(result.scenario);
    if (const InferenceMetrics* batch = result.inference()) useParts(*result.uncertainty, batch->ttft, batch->requestLatency);
    if (const ServingReport* serving = result.serving(); serving && serving->requests && serving->requests->concurrency > 0)
        useParts(*result.uncertainty, serving->served.ttft.mean, serving->served.e2e.mean);
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table)
        if (std::optional<ErrorBar>& bar = result.uncertainty->of(kind.value)) bar->fastest = fastestPossible(result, kind.value);
}

} // namespace orrery
