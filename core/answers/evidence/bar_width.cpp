// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/bar_width.hpp"

#include <limits>
#include <map>
#include <set>

namespace orrery {

std::optional<double> conformalQuantile(std::vector<WeightedScore> scores, double level) {
    std::sort(scores.begin(), scores.end(), [](const WeightedScore& a, const WeightedScore& b) {
        return a.score != b.score ? a.score < b.score : a.weight < b.weight;
    });
    double total = 1; // the new run's own
    for (const WeightedScore& one : scores) total += one.weight;
    // Sums of fractions such as 1/3 miss their whole by rounding.
    const double wanted = level * total - 1e-9 * total;
    double below = 0;
    for (const WeightedScore& one : scores) {
        below += one.weight;
        if (below >= wanted) return one.score;
    }
    return std::nullopt;
}

namespace {

constexpr double leastHalfWidth = 0.01; ///< of a logarithm: measured times are no better known
constexpr double largestError = 1;      ///< of a logarithm: beyond it something is missing, and how far off the run is says no more
constexpr std::size_t pairsForOwn = 20; ///< with fewer the widest two would decide

/// What each term of a width is assumed to be worth before evidence says otherwise: the error that a framework, an accelerator, a family, a kind of
/// model, an octave of accelerators, of parameters, of precision that nobody measured adds. They weigh as one pair in thirty.
constexpr WidthTerms assumedFactors{1, assumedWidths.framework, assumedWidths.accelerator, assumedWidths.family, assumedWidths.kind, assumedWidths.accelerators, assumedWidths.parameters, assumedWidths.bits};
constexpr double rowsAgainstAssumed = 30;

using PairAndFold = std::pair<std::size_t, bool>;

std::vector<double> weightsOf(const std::vector<WidthRow>& rows) {
    std::map<PairAndFold, int> count;
    for (const WidthRow& row : rows) ++count[{row.pair, row.sourceIsOut}];
    std::vector<double> weights;
    weights.reserve(rows.size());
    for (const WidthRow& row : rows) weights.push_back(1.0 / count.at({row.pair, row.sourceIsOut}));
    return weights;
}

} // namespace

WidthTerms widthTerms(double nearError, const Novelty& novelty) {
    return {nearError, novelty.framework, novelty.accelerator, novelty.family, novelty.kind, novelty.accelerators, novelty.parameters, novelty.bits};
}

WidthModel::WidthModel(const std::vector<WidthRow>& rows, double level) {
    if (rows.empty()) return;
    const std::vector<double> weights = weightsOf(rows);
    double total = 0;
    for (const double weight : weights) total += weight;
    // What the runs around erred by counts as it is; the factors are of what that leaves.
    LeastSquares<std::tuple_size_v<WidthTerms>> fit;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        WidthTerms terms = rows[i].terms;
        terms[0] = 0;
        fit.add(terms, std::min(rows[i].error, largestError) - rows[i].terms[0], weights[i] * rowsAgainstAssumed / total);
    }
    for (std::size_t i = 1; i < assumedFactors.size(); ++i) {
        WidthTerms alone{};
        alone[i] = 1;
        fit.add(alone, assumedFactors[i], 1);
    }
    factors_ = fit.nonNegative();
    factors_[0] = 1;
    std::vector<WeightedScore> scores;
    for (std::size_t i = 0; i < rows.size(); ++i) scores.push_back({rows[i].error / sum(rows[i].terms), weights[i]});
    stretch_ = conformalQuantile(std::move(scores), level);
}

double WidthModel::sum(const WidthTerms& terms) const {
    double width = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) width += factors_[i] * terms[i];
    return std::max(leastHalfWidth, width);
}

std::optional<double> WidthModel::halfWidth(const WidthTerms& terms) const {
    return stretch_ ? std::optional(*stretch_ * sum(terms)) : std::nullopt;
}

WidthModels::WidthModels(const std::vector<WidthRow>& rows, double level, const WidthMargins& margins) {
    for (const bool known : {false, true})
        for (const bool queued : {false, true}) {
            WidthModel& model = models_[known ? 1 : 0][queued ? 1 : 0];
            // Its own rows, those of its queue, those of its stack, all.
            for (const auto& [anyStack, anyQueue] : {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
                std::vector<WidthRow> some;
                for (const WidthRow& row : rows)
                    if ((anyStack || row.known == known) && (anyQueue || row.queued == queued)) some.push_back(row);
                std::set<PairAndFold> pairs;
                for (const WidthRow& row : some) pairs.insert({row.pair, row.sourceIsOut});
                const bool all = anyStack && anyQueue;
                if (pairs.size() < pairsForOwn && !all) continue;
                const double margin = anyStack ? std::max(margins.known, margins.unknown) : known ? margins.known
                                                                                                  : margins.unknown;
                model = WidthModel(some, std::min(1.0, level + margin));
                if (!model.stretch()) model = WidthModel(some, level);
                if (model.stretch()) break;
            }
        }
}

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double byPeakRate(const Result& result) {
    const TrainingMetrics* training = result.training();
    if (training == nullptr) return unlimited;
    const double utilisation = std::max(training->mfu, training->hfu);
    return utilisation > 0 ? std::max(1.0, 1 / utilisation) : unlimited;
}

/// Weights and states are there however an iteration runs.
double byStates(const MemoryReport& memory) {
    double held = 0;
    for (const StageMemory& stage : memory.stages) {
        double states = 0;
        for (const MemoryKind kind : {MemoryKind::weights, MemoryKind::optimizer_states}) states += stage.bytes[static_cast<std::size_t>(kind)];
        held = std::max(held, states);
    }
    return held > 0 ? std::max(1.0, memory.peakBytes / held) : unlimited;
}

/// Requests that arrive at their own times are not answered before the last of them has come.
double byOffer(const Result& result) {
    const ServingReport* serving = result.serving();
    if (serving == nullptr || !serving->requests || serving->requests->requests.empty() || serving->requests->concurrency > 0) return unlimited;
    const std::vector<Request>& requests = serving->requests->requests;
    const double span = requests.back().arrival - requests.front().arrival;
    return span > 0 && serving->served.duration > 0 ? std::max(1.0, serving->served.duration / span) : unlimited;
}

/// Weights, cache and links bound each step.
double byLeast(const Result& result, double LeastTimes::*least, double ofBatch, double ofServed) {
    if (const ServingReport* serving = result.serving()) return serving->least.*least > 0 ? std::max(1.0, ofServed / (serving->least.*least)) : unlimited;
    if (const InferenceMetrics* batch = result.inference()) return batch->least.*least > 0 ? std::max(1.0, ofBatch / (batch->least.*least)) : unlimited;
    return unlimited;
}

} // namespace

double fastestPossible(const Result& result, ErrorOf what) {
    const ServingReport* served = result.serving();
    const InferenceMetrics* batch = result.inference();
    switch (what) {
    case ErrorOf::time: return byPeakRate(result);
    case ErrorOf::memory: return byStates(result.memory);
    case ErrorOf::output_rate: return byOffer(result);
    case ErrorOf::first_token: return byLeast(result, &LeastTimes::firstToken, batch ? batch->ttft : 0, served ? served->served.ttft.mean : 0);
    case ErrorOf::per_token: return byLeast(result, &LeastTimes::perToken, batch ? batch->tpot : 0, served ? served->served.tpot.mean : 0);
    }
    return unlimited;
}

} // namespace orrery
