// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_bars.hpp"
#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What of a scenario variants of it mostly differ in, beside what RunTraits tells; as its document states it.
struct RunRecipe {
    double tensor = 1, pipeline = 1, chunks = 1, context = 1, expert = 1;
    double batch = 1;      ///< micro-batch of training, batch of a static one, sequences that an engine runs at once
    double allBatches = 1; ///< global batch
    double length = 1;     ///< tokens of a sequence, of a prompt
    std::string policy;    ///< recomputation, sharding, schedule, overlap: whatever is left
};

/// `document`: as a scenario file holds it; what it leaves out is left out on both sides of a comparison.
RunRecipe recipeOf(const Json& document);
/// Takes a scenario that was read, with every default filled in.
RunRecipe recipeOf(const Scenario& scenario);

/// What two runs differ in, each 0 where they don't: whatever there is, accelerator, framework, model, octaves of accelerators, precision, octaves of
/// batches and lengths, octaves of the split over ranks, policy.
using DifferenceTerms = std::array<double, 9>;
DifferenceTerms differenceTerms(const RunTraits& a, const RunRecipe& recipeA, const RunTraits& b, const RunRecipe& recipeB);

/// How sure the ratio of two predictions is. What two runs of one source have in common (a machine, a framework, what no constant says) has the same effect
/// on both, and cancels. What is left is learned from pairs of measured runs of one source: the difference of their errors, over how far off the runs around
/// them were, is the root of a sum of squares, one for each thing in which they differ. It is stretched until 9 of 10 pairs lie inside, sources with the
/// same weight. It is never wider than two errors that have nothing to do with each other.
class DifferenceBars {
public:
    static constexpr double level = 0.9;

    DifferenceBars(const ErrorBars& bars, const Catalog& catalog);

    /// Nothing where too little was measured. `bars` are those of the constructor.
    std::optional<DifferenceBar> of(const ErrorBars& bars, ErrorOf what, const Scenario& a, const Scenario& b) const;
    /// A pair of measured runs as the law is learned from it.
    struct Pair {
        DifferenceTerms terms{};
        double around = 0; ///< geometric mean of the errors around the two runs
        double error = 0;  ///< |difference of ln(measured/predicted)|
        std::size_t source = 0;
    };
    const std::vector<Pair>& pairs(ErrorOf what, bool known) const { return laws_[static_cast<std::size_t>(what)][known ? 1 : 0].pairs; }

    /// The law by some pairs.
    struct Law {
        DifferenceTerms factors{};
        std::optional<double> stretch;
        std::vector<Pair> pairs;

        explicit Law(std::vector<Pair> pairs = {});
        /// Half-width in the logarithm; nothing where too little was measured.
        std::optional<double> halfWidth(const DifferenceTerms& terms, double around) const;
    };

private:
    /// By ErrorOf; of stacks without runs, of those with some.
    std::array<std::array<Law, 2>, WordsOf<ErrorOf>::table.size()> laws_;
};

/// Judges by these.
class EvidenceJudge final : public DifferenceJudge {
public:
    EvidenceJudge(std::shared_ptr<const ErrorBars> bars, const Catalog& catalog);
    std::optional<DifferenceBar> judge(const std::vector<ErrorOf>& errors, const Scenario& a, const Scenario& b) const override;

private:
    std::shared_ptr<const ErrorBars> bars_;
    DifferenceBars differences_;
};

} // namespace orrery
