// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/bar_width.hpp"

#include "core/answers/evidence/least_squares.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace orrery {

namespace {

constexpr double leastHalfWidth = 0.01; ///< of a logarithm: measured times are no better known
constexpr double largestError = 1;      ///< of a logarithm: beyond it something is missing, and how far off the run is says no more
constexpr std::size_t pairsForOwn = 20; ///< with fewer the widest two would decide

/// What each term of a width is assumed to be worth before evidence says otherwise: the error that a framework, an accelerator, a family, a kind of
/// model, an octave of accelerators, of parameters, of precision that nobody measured adds. They weigh as one pair in thirty.
constexpr WidthTerms assumedFactors{1, 0.05, 0.06, 0.03, 0.1, 0.02, 0.025, 0.1};
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

} // namespace orrery
