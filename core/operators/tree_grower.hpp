#pragma once

#include "core/operators/boosted_trees.hpp"

namespace orrery {

/// Grows trees on rows that are cut into bins once; for this folder only.
class TreeGrower {
public:
    /// `bins`: row by row; `binCounts`: of each column.
    TreeGrower(const std::vector<std::uint8_t>& bins, std::vector<std::size_t> binCounts, const BoostingOptions& options);

    /// Fits a tree to the residuals, best split first; adds its values to `predictions`.
    BoostedTrees::Tree grow(const std::vector<float>& residuals, std::vector<float>& predictions);

private:
    struct Bin {
        double sum = 0;
        int count = 0;
    };
    struct Leaf {
        std::size_t begin = 0, end = 0; ///< of order_
        double sum = 0;
        double gain = 0; ///< of its best split
        std::uint8_t feature = 0, bin = 0;
        int parent = -1;
        bool right = false;
        int depth = 0;
        std::vector<Bin> histogram;
    };

    Leaf makeLeaf(const std::vector<float>& residuals, std::size_t begin, std::size_t end, int parent, bool right, int depth) const;
    /// A leaf's sibling: its histogram is what the leaf's leaves of the parent's.
    Leaf makeSibling(Leaf& parent, const Leaf& other, std::size_t begin, std::size_t end, int node, bool right) const;
    double score(double sum, double count) const { return sum * sum / (count + options_.shrinkage); }
    void findSplit(Leaf& leaf) const;
    void split(const std::vector<float>& residuals, BoostedTrees::Tree& tree, std::size_t index);
    void finish(BoostedTrees::Tree& tree, std::vector<float>& predictions) const;

    const std::vector<std::uint8_t>& bins_;
    std::vector<std::size_t> offsets_; ///< of each column's bins in a histogram, and their sum
    const BoostingOptions& options_;
    std::size_t columns_, rows_;
    std::vector<std::uint32_t> order_, moved_;
    std::vector<Leaf> leaves_;
};

} // namespace orrery
