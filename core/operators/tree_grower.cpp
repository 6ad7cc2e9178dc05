#include "core/operators/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {
namespace {

constexpr int leafScale = 127;
/// A split must gain more than rounding.
constexpr double leastGain = 1e-9;

} // namespace

TreeGrower::TreeGrower(const std::vector<std::uint8_t>& bins, std::vector<std::size_t> binCounts, const BoostingOptions& options)
    : bins_(bins), options_(options), columns_(binCounts.size()), rows_(bins.size() / binCounts.size()) {
    offsets_.push_back(0);
    for (const std::size_t count : binCounts) offsets_.push_back(offsets_.back() + count);
}

BoostedTrees::Tree TreeGrower::grow(const std::vector<float>& residuals, std::vector<float>& predictions) {
    order_.resize(rows_);
    std::iota(order_.begin(), order_.end(), 0U);
    moved_.resize(rows_);
    leaves_.clear();
    leaves_.push_back(makeLeaf(residuals, 0, rows_, -1, false, 0));
    BoostedTrees::Tree tree;
    while (static_cast<int>(leaves_.size()) < options_.leaves) {
        std::size_t best = leaves_.size();
        for (std::size_t i = 0; i < leaves_.size(); ++i)
            if (leaves_[i].gain > leastGain && (best == leaves_.size() || leaves_[i].gain > leaves_[best].gain)) best = i;
        if (best == leaves_.size()) break;
        split(residuals, tree, best);
    }
    finish(tree, predictions);
    return tree;
}

TreeGrower::Leaf TreeGrower::makeLeaf(const std::vector<float>& residuals, std::size_t begin, std::size_t end, int parent, bool right,
                                      int depth) const {
    Leaf leaf;
    leaf.begin = begin;
    leaf.end = end;
    leaf.parent = parent;
    leaf.right = right;
    leaf.depth = depth;
    leaf.histogram.resize(offsets_.back());
    for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t row = order_[i];
        const double residual = residuals[row];
        leaf.sum += residual;
        const std::uint8_t* bins = bins_.data() + row * columns_;
        for (std::size_t c = 0; c < columns_; ++c) {
            Bin& bin = leaf.histogram[offsets_[c] + bins[c]];
            bin.sum += residual;
            ++bin.count;
        }
    }
    findSplit(leaf);
    return leaf;
}

TreeGrower::Leaf TreeGrower::makeSibling(Leaf& parent, const Leaf& other, std::size_t begin, std::size_t end, int node, bool right) const {
    Leaf leaf;
    leaf.begin = begin;
    leaf.end = end;
    leaf.parent = node;
    leaf.right = right;
    leaf.depth = other.depth;
    leaf.sum = parent.sum - other.sum;
    leaf.histogram = std::move(parent.histogram);
    for (std::size_t i = 0; i < leaf.histogram.size(); ++i) {
        leaf.histogram[i].sum -= other.histogram[i].sum;
        leaf.histogram[i].count -= other.histogram[i].count;
    }
    findSplit(leaf);
    return leaf;
}

void TreeGrower::findSplit(Leaf& leaf) const {
    const int count = static_cast<int>(leaf.end - leaf.begin);
    if (leaf.depth >= options_.depth || count < 2 * options_.leastRows) return;
    const double whole = score(leaf.sum, count);
    for (std::size_t c = 0; c < columns_; ++c) {
        double sum = 0;
        int below = 0;
        const Bin* histogram = leaf.histogram.data() + offsets_[c];
        const std::size_t last = offsets_[c + 1] - offsets_[c] - 1;
        for (std::size_t b = 0; b < last; ++b) {
            if (histogram[b].count == 0) continue;
            sum += histogram[b].sum;
            below += histogram[b].count;
            if (below < options_.leastRows) continue;
            if (count - below < options_.leastRows) break;
            const double gain = score(sum, below) + score(leaf.sum - sum, count - below) - whole;
            if (gain <= leaf.gain) continue;
            leaf.gain = gain;
            leaf.feature = static_cast<std::uint8_t>(c);
            leaf.bin = static_cast<std::uint8_t>(b);
        }
    }
}

void TreeGrower::split(const std::vector<float>& residuals, BoostedTrees::Tree& tree, std::size_t index) {
    Leaf parent = std::move(leaves_[index]);
    const int node = static_cast<int>(tree.nodes.size());
    tree.nodes.push_back({parent.feature, parent.bin, -1, -1});
    if (parent.parent >= 0) {
        auto& above = tree.nodes[static_cast<std::size_t>(parent.parent)];
        (parent.right ? above.right : above.left) = static_cast<std::int8_t>(node);
    }
    // Stable, so that sums run in one order.
    std::size_t at = parent.begin, moved = 0;
    for (std::size_t i = parent.begin; i < parent.end; ++i) {
        const std::uint32_t row = order_[i];
        if (bins_[row * columns_ + parent.feature] <= parent.bin) order_[at++] = row;
        else moved_[moved++] = row;
    }
    std::copy(moved_.begin(), moved_.begin() + static_cast<std::ptrdiff_t>(moved), order_.begin() + static_cast<std::ptrdiff_t>(at));
    const int depth = parent.depth + 1;
    if (at - parent.begin < parent.end - at) {
        Leaf left = makeLeaf(residuals, parent.begin, at, node, false, depth);
        leaves_.push_back(makeSibling(parent, left, at, parent.end, node, true));
        leaves_[index] = std::move(left);
    } else {
        Leaf right = makeLeaf(residuals, at, parent.end, node, true, depth);
        leaves_[index] = makeSibling(parent, right, parent.begin, at, node, false);
        leaves_.push_back(std::move(right));
    }
}

void TreeGrower::finish(BoostedTrees::Tree& tree, std::vector<float>& predictions) const {
    std::vector<double> values;
    double largest = 0;
    for (const Leaf& leaf : leaves_) {
        values.push_back(options_.learningRate * leaf.sum / (static_cast<double>(leaf.end - leaf.begin) + options_.shrinkage));
        largest = std::max(largest, std::abs(values.back()));
    }
    tree.scale = static_cast<float>(largest / leafScale);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        const Leaf& leaf = leaves_[i];
        const auto rounded = static_cast<std::int8_t>(largest > 0 ? std::lround(values[i] / largest * leafScale) : 0);
        tree.leaves.push_back(rounded);
        if (leaf.parent >= 0) {
            auto& above = tree.nodes[static_cast<std::size_t>(leaf.parent)];
            (leaf.right ? above.right : above.left) = static_cast<std::int8_t>(~static_cast<int>(i));
        }
        // What is stored is what later trees correct.
        for (std::size_t at = leaf.begin; at < leaf.end; ++at) predictions[order_[at]] += tree.scale * static_cast<float>(rounded);
    }
}

} // namespace orrery
