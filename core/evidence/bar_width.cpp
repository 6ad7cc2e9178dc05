// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evidence/bar_width.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace orrery {

namespace {

constexpr double leastHalfWidth = 1e-4; ///< of a logarithm: measured times are no better known
constexpr int sweeps = 400;
/// Share of runs aimed at beyond the level, for sources are few and seldom alike: counted by source, the level lies in the worst source's
/// runs, where little more is enough for four fifths of each group.
constexpr double sourceMargin = 0.005;

/// Non-negative least squares by coordinate descent on the normal equations (Franc, Hlavac, Navara 2005).
WidthTerms nonNegativeFit(const std::vector<WidthRow>& rows, const std::vector<double>& weights) {
    constexpr std::size_t terms = std::tuple_size_v<WidthTerms>;
    std::array<WidthTerms, terms> products{};
    WidthTerms right{}, solution{};
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t i = 0; i < terms; ++i) {
            right[i] += weights[row] * rows[row].terms[i] * rows[row].error;
            for (std::size_t j = 0; j < terms; ++j) products[i][j] += weights[row] * rows[row].terms[i] * rows[row].terms[j];
        }
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t i = 0; i < terms; ++i) {
            if (products[i][i] <= 0) continue;
            double rest = right[i];
            for (std::size_t j = 0; j < terms; ++j)
                if (j != i) rest -= products[i][j] * solution[j];
            solution[i] = std::max(0.0, rest / products[i][i]);
        }
    return solution;
}

std::vector<double> weightsOf(const std::vector<WidthRow>& rows) {
    std::map<std::pair<std::size_t, bool>, int> count;
    for (const WidthRow& row : rows) ++count[{row.source, row.sourceIsOut}];
    std::vector<double> weights;
    weights.reserve(rows.size());
    for (const WidthRow& row : rows) weights.push_back(1.0 / count.at({row.source, row.sourceIsOut}));
    return weights;
}

} // namespace

WidthTerms widthTerms(double nearError, const Novelty& novelty, bool queued) {
    return {nearError, novelty.framework, novelty.accelerator, novelty.family, novelty.accelerators, novelty.parameters, 1, queued ? 1.0 : 0.0};
}

WidthModel::WidthModel(const std::vector<WidthRow>& rows, double level, double pairMargin) {
    factors_ = nonNegativeFit(rows, weightsOf(rows));
    std::set<std::size_t> sources;
    for (const WidthRow& row : rows) sources.insert(row.source);
    // One new source beside as many as there are: its own share of the weight must be less than what the interval may miss.
    const bool byPair = level * double(sources.size() + 1) > double(sources.size());
    for (const bool sourceIsOut : {false, true}) {
        std::optional<double> one = stretchFor(rows, std::min(1.0, level + (byPair ? pairMargin : sourceMargin)), sourceIsOut, byPair);
        if (!one) one = stretchFor(rows, level, sourceIsOut, byPair);
        if (one) stretch_ = std::max(stretch_.value_or(0), *one);
    }
}

double WidthModel::sum(const WidthTerms& terms) const {
    double width = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) width += factors_[i] * terms[i];
    return std::max(leastHalfWidth, width);
}

std::optional<double> WidthModel::stretchFor(const std::vector<WidthRow>& rows, double level, bool sourceIsOut, bool byPair) const {
    std::map<std::size_t, int> count;
    for (const WidthRow& row : rows)
        if (row.sourceIsOut == sourceIsOut) ++count[byPair ? row.pair : row.source];
    std::vector<WeightedScore> scores;
    for (const WidthRow& row : rows)
        if (row.sourceIsOut == sourceIsOut) scores.push_back({row.error / sum(row.terms), 1.0 / count.at(byPair ? row.pair : row.source)});
    return conformalQuantile(std::move(scores), level);
}

std::optional<double> WidthModel::halfWidth(const WidthTerms& terms) const {
    return stretch_ ? std::optional(*stretch_ * sum(terms)) : std::nullopt;
}

} // namespace orrery
