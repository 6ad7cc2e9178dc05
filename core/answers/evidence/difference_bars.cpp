// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/evidence/bar_width.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

namespace orrery {
namespace {

Json sectionOf(const Json& document, const char* name) {
    return document.is_object() && document.contains(name) && document[name].is_object() ? document[name] : Json::object();
}

double numberOf(const Json& section, const char* key, double otherwise) {
    return section.contains(key) && section[key].is_number() ? section[key].get<double>() : otherwise;
}

std::string textOf(const Json& section, const char* key) { return section.contains(key) ? section[key].dump() : std::string(); }

} // namespace

RunRecipe recipeOf(const Json& document) {
    const Json plan = sectionOf(document, "parallelism"), work = sectionOf(document, "workload"), execution = sectionOf(document, "execution");
    RunRecipe recipe;
    recipe.tensor = numberOf(plan, "tensor", 1);
    recipe.pipeline = numberOf(plan, "pipeline", 1);
    recipe.chunks = numberOf(plan, "virtual_pipeline", 1);
    recipe.context = numberOf(plan, "context", 1);
    recipe.expert = numberOf(plan, "expert", 1) * numberOf(plan, "expert_tensor", 1);
    recipe.batch = numberOf(work, "micro_batch_size", numberOf(work, "batch_size", numberOf(sectionOf(work, "engine"), "max_num_seqs", 1)));
    recipe.allBatches = numberOf(work, "global_batch_size", 1);
    recipe.length = numberOf(work, "sequence_length", numberOf(work, "input_length", 1));
    for (const char* key : {"zero_stage", "sequence", "schedule"}) recipe.policy += textOf(plan, key) + ' ';
    for (const char* key : {"recompute", "attention", "compile", "cuda_graphs", "overlap", "moe_dispatch", "offload"}) recipe.policy += textOf(execution, key) + ' ';
    recipe.policy += textOf(work, "task");
    return recipe;
}

RunRecipe recipeOf(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    RunRecipe recipe;
    recipe.tensor = plan.tensor;
    recipe.pipeline = plan.pipeline;
    recipe.chunks = plan.virtualPipeline;
    recipe.context = plan.context;
    recipe.expert = double(plan.expert) * plan.expertTensor;
    std::ostringstream policy;
    if (scenario.isTraining()) {
        const TrainingWorkload& work = trainingOf(scenario.workload);
        recipe.batch = work.microBatch;
        recipe.allBatches = work.globalBatch;
        recipe.length = work.sequenceLength;
        policy << int(work.task) << ' ';
    } else if (const auto* batch = std::get_if<InferenceWorkload>(&scenario.workload)) {
        recipe.batch = batch->batchSize;
        recipe.length = batch->inputLength;
    }
    policy << plan.zeroStage << ' ' << plan.sequence << ' ' << int(plan.schedule) << ' ' << int(execution.recompute) << ' ' << execution.recomputeEvery << ' ' << int(execution.attention) << ' '
           << execution.compile << execution.cudaGraphs << execution.overlap.data << execution.overlap.tensor << execution.overlap.pipeline << execution.overlap.expert << ' '
           << execution.expertCapacity << ' ' << execution.offload.weights << ' ' << execution.offload.activations << ' ' << execution.offload.optimizer;
    for (const std::string& module : execution.recomputeModules) policy << ' ' << module;
    recipe.policy = policy.str();
    return recipe;
}

namespace {

constexpr double countedOctaves = 4;
constexpr double leastAround = 0.01;       ///< of a logarithm
constexpr double largestRatio = 4;         ///< of a pair's error over what is around: beyond it something is missing in one of the two
constexpr std::size_t pairsOfSource = 800; ///< those that differ in the fewest things; variants of a scenario do
constexpr double weightOfAll = 100;        ///< of all pairs, over what a new one weighs: they are few sources', and not as many as they are
constexpr double margin = 0.02;            ///< sources left out hold so much less than those that are there
constexpr double pairsAgainstAssumed = 30;

/// What each difference is assumed to add to the square before pairs say otherwise, each as one pair in thirty.
constexpr DifferenceTerms assumedSquares{0.3, 0.3, 0.3, 0.3, 0.1, 0.3, 0.1, 0.1, 0.3};

double octavesBetween(double a, double b) { return a > 0 && b > 0 ? std::min(countedOctaves, std::abs(std::log2(a / b))) : 0; }

double likenessTerm(const RunTraits& a, const RunTraits& b) {
    switch (likeness(a, b)) {
    case AcceleratorLikeness::same: return 0;
    case AcceleratorLikeness::like: return 0.5;
    case AcceleratorLikeness::other: break;
    }
    return 1;
}

int differingIn(const DifferenceTerms& terms) {
    return static_cast<int>(std::count_if(terms.begin() + 1, terms.end(), [](double term) { return term > 0; }));
}

double squareOf(const DifferenceTerms& factors, const DifferenceTerms& terms) {
    return std::inner_product(terms.begin(), terms.end(), factors.begin(), 0.0);
}

std::map<std::size_t, double> weightsBySource(const std::vector<DifferenceBars::Pair>& pairs) {
    std::map<std::size_t, double> count;
    for (const DifferenceBars::Pair& pair : pairs) ++count[pair.source];
    for (auto& [source, weight] : count) weight = 1 / (weight * double(count.size()));
    return count;
}

/// A run of the evidence, signed: + takes longer than predicted.
struct SignedRun {
    RunTraits traits;
    RunRecipe recipe;
    std::size_t source = 0;
    double inSample = 0, leftOut = 0;
    double aroundKnown = 0, aroundUnknown = 0;
};

double signedError(const MeasuredFigure& figure, double predicted) {
    const double error = std::log(figure.measured / predicted);
    return figure.metric.find("tokens_per_s") == std::string::npos ? error : -error;
}

std::vector<SignedRun> signedRuns(const ErrorBars& bars, ErrorOf what, const Catalog& catalog) {
    std::vector<SignedRun> runs;
    for (const CalibrationRun& one : bars.runs(what)) {
        const MeasuredRun& measured = bars.evidence().runs[one.run];
        const MeasuredFigure& figure = *measuredFigureOf(measured, what);
        SignedRun run{traitsOf(measured, catalog), recipeOf(*measured.scenario), one.source, signedError(figure, *figure.predicted), 0, 0, 0};
        run.leftOut = signedError(figure, figure.predictedLeftOut.value_or(*figure.predicted));
        run.aroundKnown = std::max(leastAround, bars.errorAround(what, run.traits, true, &one));
        run.aroundUnknown = std::max(leastAround, bars.errorAround(what, run.traits, false, &one));
        runs.push_back(std::move(run));
    }
    return runs;
}

/// Two runs of a source, by number, and in how many things they differ.
struct Chosen {
    int differing = 0;
    std::size_t a = 0, b = 0;
    DifferenceTerms terms{};
};

std::vector<Chosen> chosenPairs(const std::vector<SignedRun>& runs) {
    std::map<std::size_t, std::vector<Chosen>> bySource;
    for (std::size_t a = 0; a < runs.size(); ++a)
        for (std::size_t b = a + 1; b < runs.size(); ++b) {
            if (runs[a].source != runs[b].source || runs[a].traits.kind != runs[b].traits.kind || runs[a].traits.queued != runs[b].traits.queued) continue;
            Chosen one{0, a, b, differenceTerms(runs[a].traits, runs[a].recipe, runs[b].traits, runs[b].recipe)};
            one.differing = differingIn(one.terms);
            bySource[runs[a].source].push_back(one);
        }
    std::vector<Chosen> chosen;
    for (auto& [source, pairs] : bySource) {
        std::stable_sort(pairs.begin(), pairs.end(), [](const Chosen& x, const Chosen& y) { return x.differing < y.differing; });
        // Chance decides which come first among those that differ in as many things as the last one: the bars take every so many of them.
        if (pairs.size() > pairsOfSource) {
            const int last = pairs[pairsOfSource].differing;
            const auto from = std::find_if(pairs.begin(), pairs.end(), [last](const Chosen& one) { return one.differing == last; });
            const auto to = std::find_if(from, pairs.end(), [last](const Chosen& one) { return one.differing > last; });
            const auto wanted = static_cast<std::ptrdiff_t>(pairsOfSource) - (from - pairs.begin());
            std::vector<Chosen> some;
            for (std::ptrdiff_t i = 0; i < wanted; ++i) some.push_back(*(from + i * (to - from) / wanted));
            pairs.erase(from, pairs.end());
            pairs.insert(pairs.end(), some.begin(), some.end());
        }
        chosen.insert(chosen.end(), pairs.begin(), pairs.end());
    }
    return chosen;
}

} // namespace

DifferenceTerms differenceTerms(const RunTraits& a, const RunRecipe& recipeA, const RunTraits& b, const RunRecipe& recipeB) {
    const bool model = a.family != b.family || a.parameters != b.parameters;
    const double batches = octavesBetween(recipeA.batch, recipeB.batch) + octavesBetween(recipeA.allBatches, recipeB.allBatches) + octavesBetween(recipeA.length, recipeB.length);
    const double split = octavesBetween(recipeA.tensor, recipeB.tensor) + octavesBetween(recipeA.pipeline, recipeB.pipeline) + octavesBetween(recipeA.chunks, recipeB.chunks) / 2 +
                         octavesBetween(recipeA.context, recipeB.context) + octavesBetween(recipeA.expert, recipeB.expert);
    return {1,
            likenessTerm(a, b),
            frameworkDistance(a, b),
            model ? 1.0 : 0.0,
            octavesBetween(a.accelerators, b.accelerators),
            a.bits != b.bits ? 1.0 : 0.0,
            std::min(countedOctaves, batches),
            std::min(countedOctaves, split),
            recipeA.policy != recipeB.policy ? 1.0 : 0.0};
}

DifferenceBars::Law::Law(std::vector<Pair> given) : pairs(std::move(given)) {
    if (pairs.empty()) return;
    const std::map<std::size_t, double> weightOf = weightsBySource(pairs);
    double total = 0;
    // What differs in little says most of what a single difference does.
    const auto weight = [&](const Pair& pair) { return weightOf.at(pair.source) / std::pow(1 + differingIn(pair.terms), 2); };
    for (const Pair& pair : pairs) total += weight(pair);
    LeastSquares<std::tuple_size_v<DifferenceTerms>> fit;
    for (const Pair& pair : pairs) {
        const double ratio = std::min(largestRatio, pair.error / pair.around);
        fit.add(pair.terms, ratio * ratio, weight(pair) * pairsAgainstAssumed / total);
    }
    for (std::size_t i = 0; i < assumedSquares.size(); ++i) {
        DifferenceTerms alone{};
        alone[i] = 1;
        fit.add(alone, assumedSquares[i], 1);
    }
    factors = fit.nonNegative();
    std::vector<WeightedScore> scores;
    for (const Pair& pair : pairs) scores.push_back({pair.error / (std::sqrt(squareOf(factors, pair.terms)) * pair.around), weightOf.at(pair.source) * weightOfAll});
    stretch = conformalQuantile(std::move(scores), level + margin);
}

std::optional<double> DifferenceBars::Law::halfWidth(const DifferenceTerms& terms, double around) const {
    if (!stretch) return std::nullopt;
    return *stretch * std::sqrt(squareOf(factors, terms)) * std::max(leastAround, around);
}

DifferenceBars::DifferenceBars(const ErrorBars& bars, const Catalog& catalog) {
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        const std::vector<SignedRun> runs = signedRuns(bars, kind.value, catalog);
        std::vector<Pair> ofKnown, ofUnknown;
        for (const Chosen& one : chosenPairs(runs)) {
            const SignedRun &a = runs[one.a], &b = runs[one.b];
            ofKnown.push_back({one.terms, std::sqrt(a.aroundKnown * b.aroundKnown), std::abs(a.inSample - b.inSample), a.source});
            ofUnknown.push_back({one.terms, std::sqrt(a.aroundUnknown * b.aroundUnknown), std::abs(a.leftOut - b.leftOut), a.source});
        }
        auto& laws = laws_[static_cast<std::size_t>(kind.value)];
        laws = {Law(std::move(ofUnknown)), Law(std::move(ofKnown))};
    }
}

std::optional<DifferenceBar> DifferenceBars::of(const ErrorBars& bars, ErrorOf what, const Scenario& a, const Scenario& b) const {
    const RunTraits ofA = traitsOf(a), ofB = traitsOf(b);
    if (ofA.kind != ofB.kind && ofA.queued != ofB.queued) return std::nullopt;
    const auto barA = bars.bar(what, ofA), barB = bars.bar(what, ofB);
    if (!barA || !barB) return std::nullopt;
    const double apart = std::hypot(std::log(barA->factor), std::log(barB->factor));
    const bool known = bars.knows(what, ofA) && bars.knows(what, ofB);
    const Law& law = laws_[static_cast<std::size_t>(what)][known ? 1 : 0];
    const DifferenceTerms terms = differenceTerms(ofA, recipeOf(a), ofB, recipeOf(b));
    const double around = std::sqrt(bars.errorAround(what, ofA, known) * bars.errorAround(what, ofB, known));
    const std::optional<double> half = law.halfWidth(terms, around);
    DifferenceBar bar;
    bar.level = level;
    bar.factor = std::exp(std::min(apart, half.value_or(apart)));
    bar.pairs = half ? static_cast<int>(law.pairs.size()) : 0;
    bar.basis = half && *half < apart ? std::to_string(bar.pairs) + " pairs of measured runs of one source: what both have in common cancels"
                                      : std::string("the errors of both, which have little in common");
    return bar;
}

EvidenceJudge::EvidenceJudge(std::shared_ptr<const ErrorBars> bars, const Catalog& catalog) : bars_(std::move(bars)), differences_(*bars_, catalog) {}

std::optional<DifferenceBar> EvidenceJudge::judge(const std::vector<ErrorOf>& errors, const Scenario& a, const Scenario& b) const {
    std::optional<DifferenceBar> widest;
    for (const ErrorOf what : errors) {
        const std::optional<DifferenceBar> one = differences_.of(*bars_, what, a, b);
        if (!one) return std::nullopt;
        if (!widest || one->factor > widest->factor) widest = one;
    }
    return widest;
}

} // namespace orrery
