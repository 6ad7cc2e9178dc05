// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/boosted_trees.hpp"

namespace orrery {

/// Grows trees on rows that are cut into bins once; for this folder only.
class TreeGrower {
public:
    /// `bins`: row by row; `binCounts`: of each column.
    TreeGrower(const std::vector<std::uint8_t>& bins, const std::vector<std::size_t>& binCounts, const BoostingOptions& options);

    /// Fits a tree to the residuals, best split first; adds its values to `predictions`.
    BoostedTrees::Tree grow(const std::vector<float>& residuals, std::vector<float>& predictions);

private:
    /// Rows in the low half, their residuals' sum in `quantum_` in the high one: adding bins adds both.
    using Bin = std::int64_t;
    struct Leaf {
        std::size_t begin = 0, end = 0; ///< of order_
        std::int64_t sum = 0;           ///< in quantum_
        double gain = 0;                ///< of its best split
        std::uint8_t feature = 0, bin = 0;
        int parent = -1;
        bool right = false;
        int depth = 0;
        std::vector<Bin> histogram; ///< empty where the leaf stays one

        std::size_t rows() const { return end - begin; }
    };

    void quantize(const std::vector<float>& residuals);
    Leaf makeLeaf(std::size_t begin, std::size_t end, int parent, bool right, int depth);
    void fillHistogram(Leaf& leaf);
    bool maySplit(const Leaf& leaf) const { return leaf.depth < options_.depth && leaf.rows() >= 2 * static_cast<std::size_t>(options_.leastRows); }
    void release(std::vector<Bin>& histogram);
    /// Sum squared over rows and shrinkage.
    double score(std::int64_t sum, std::size_t count) const { return static_cast<double>(sum) * static_cast<double>(sum) * reciprocals_[count]; }
    void findSplit(Leaf& leaf);
    void split(BoostedTrees::Tree& tree, std::size_t index);
    void finish(BoostedTrees::Tree& tree, std::vector<float>& predictions) const;

    const std::vector<std::uint8_t>& bins_;
    std::vector<std::size_t> offsets_; ///< of each column's bins in a histogram, and their sum
    const BoostingOptions& options_;
    std::size_t columns_, rows_;
    double quantum_ = 0;              ///< of residuals; by the first tree's
    std::vector<double> reciprocals_; ///< by count, of count and shrinkage
    std::vector<Bin> packed_;         ///< of each row
    std::vector<std::uint32_t> order_, moved_;
    std::vector<Leaf> leaves_;
    std::uint64_t draws_ = 0;             ///< splits sought so far
    std::vector<std::vector<Bin>> spare_; ///< histograms to use again
};

} // namespace orrery
