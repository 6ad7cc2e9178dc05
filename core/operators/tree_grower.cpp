// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {
namespace {

constexpr int leafScale = 127;
/// A split must gain more than rounding, in the target's units squared.
constexpr double leastGain = 1e-9;
/// A residual in quanta is at most this, and so small that the sum of all rows fits 31 bits.
constexpr double mostQuanta = 1 << 20;
constexpr double mostSum = 2147483000;

/// A number in [0, 1) for a draw and a column, by MurmurHash3's last mixing.
double drawn(std::uint64_t draw, std::uint64_t column) {
    std::uint64_t hash = (draw * BoostedTrees::mostColumns + column + 1) * 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDULL;
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53ULL;
    return static_cast<double>((hash ^ (hash >> 33)) >> 11) * 0x1p-53;
}

} // namespace

TreeGrower::TreeGrower(const std::vector<std::uint8_t>& bins, const std::vector<std::size_t>& binCounts, const BoostingOptions& options)
    : bins_(bins), options_(options), columns_(binCounts.size()), rows_(bins.size() / binCounts.size()) {
    offsets_.push_back(0);
    for (const std::size_t count : binCounts) offsets_.push_back(offsets_.back() + count);
    for (std::size_t count = 0; count <= rows_; ++count) reciprocals_.push_back(1 / (static_cast<double>(count) + std::max(options.shrinkage, 1e-9)));
}

void TreeGrower::quantize(const std::vector<float>& residuals) {
    const double mostOfARow = std::min(mostQuanta, mostSum / static_cast<double>(rows_));
    if (quantum_ == 0) {
        double reach = 0;
        for (const float residual : residuals) reach = std::max(reach, std::abs(static_cast<double>(residual)));
        reach = std::min(reach, options_.outlier);
        quantum_ = (reach > 0 ? reach : 1) / mostOfARow;
    }
    const double reach = quantum_ * mostOfARow; // of the first tree: what is left for later ones seldom is more
    packed_.resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row)
        packed_[row] = (static_cast<std::int64_t>(std::lrint(std::clamp(static_cast<double>(residuals[row]), -reach, reach) / quantum_)) * (std::int64_t(1) << 32)) + 1;
}

BoostedTrees::Tree TreeGrower::grow(const std::vector<float>& residuals, std::vector<float>& predictions) {
    quantize(residuals);
    order_.resize(rows_);
    std::iota(order_.begin(), order_.end(), 0U);
    moved_.resize(rows_);
    for (Leaf& leaf : leaves_) release(leaf.histogram);
    leaves_.clear();
    leaves_.push_back(makeLeaf(0, rows_, -1, false, 0));
    if (maySplit(leaves_.front())) {
        fillHistogram(leaves_.front());
        findSplit(leaves_.front());
    }
    BoostedTrees::Tree tree;
    while (static_cast<int>(leaves_.size()) < options_.leaves) {
        std::size_t best = leaves_.size();
        for (std::size_t i = 0; i < leaves_.size(); ++i)
            if (leaves_[i].gain > 0 && (best == leaves_.size() || leaves_[i].gain > leaves_[best].gain)) best = i;
        if (best == leaves_.size()) break;
        split(tree, best);
    }
    finish(tree, predictions);
    return tree;
}

TreeGrower::Leaf TreeGrower::makeLeaf(std::size_t begin, std::size_t end, int parent, bool right, int depth) {
    Leaf leaf;
    leaf.begin = begin;
    leaf.end = end;
    leaf.parent = parent;
    leaf.right = right;
    leaf.depth = depth;
    Bin sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += packed_[order_[i]];
    leaf.sum = sum >> 32;
    return leaf;
}

void TreeGrower::release(std::vector<Bin>& histogram) {
    if (!histogram.empty()) spare_.push_back(std::move(histogram));
    histogram.clear();
}

void TreeGrower::fillHistogram(Leaf& leaf) {
    if (!spare_.empty()) {
        leaf.histogram = std::move(spare_.back());
        spare_.pop_back();
    }
    leaf.histogram.assign(offsets_.back(), 0);
    constexpr std::size_t ahead = 8; // rows stand anywhere in memory
    Bin* const histogram = leaf.histogram.data();
    const std::size_t* const offsets = offsets_.data();
    const std::size_t columns = columns_;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        if (i + ahead < leaf.end) __builtin_prefetch(bins_.data() + order_[i + ahead] * columns);
        const Bin packed = packed_[order_[i]];
        const std::uint8_t* bins = bins_.data() + order_[i] * columns;
        for (std::size_t c = 0; c < columns; ++c) histogram[offsets[c] + bins[c]] += packed;
    }
}

void TreeGrower::findSplit(Leaf& leaf) {
    ++draws_;
    const std::size_t count = leaf.rows(), least = static_cast<std::size_t>(options_.leastRows);
    const double whole = score(leaf.sum, count);
    double best = leastGain / (quantum_ * quantum_);
    for (std::size_t c = 0; c < columns_; ++c) {
        if (options_.columnShare < 1 && drawn(draws_, c) >= options_.columnShare) continue;
        std::int64_t below = 0;
        const Bin* histogram = leaf.histogram.data() + offsets_[c];
        const std::size_t last = offsets_[c + 1] - offsets_[c] - 1;
        for (std::size_t b = 0; b < last; ++b) {
            if (histogram[b] == 0) continue;
            below += histogram[b];
            const auto rows = static_cast<std::size_t>(static_cast<std::uint32_t>(below));
            if (rows < least) continue;
            if (count - rows < least) break;
            const std::int64_t sum = below >> 32;
            const double gain = score(sum, rows) + score(leaf.sum - sum, count - rows) - whole;
            if (gain <= best) continue;
            leaf.gain = best = gain;
            leaf.feature = static_cast<std::uint8_t>(c);
            leaf.bin = static_cast<std::uint8_t>(b);
        }
    }
}

void TreeGrower::split(BoostedTrees::Tree& tree, std::size_t index) {
    Leaf parent = std::move(leaves_[index]);
    const int node = static_cast<int>(tree.nodes.size());
    tree.nodes.push_back({parent.feature, parent.bin, -1, -1});
    if (parent.parent >= 0) {
        auto& above = tree.nodes[static_cast<std::size_t>(parent.parent)];
        (parent.right ? above.right : above.left) = static_cast<std::int8_t>(node);
    }
    std::size_t at = parent.begin, moved = 0;
    for (std::size_t i = parent.begin; i < parent.end; ++i) {
        const std::uint32_t row = order_[i];
        if (bins_[row * columns_ + parent.feature] <= parent.bin) order_[at++] = row;
        else moved_[moved++] = row;
    }
    std::copy(moved_.begin(), moved_.begin() + static_cast<std::ptrdiff_t>(moved), order_.begin() + static_cast<std::ptrdiff_t>(at));
    Leaf left = makeLeaf(parent.begin, at, node, false, parent.depth + 1);
    Leaf right = makeLeaf(at, parent.end, node, true, parent.depth + 1);
    Leaf& smaller = left.rows() < right.rows() ? left : right;
    Leaf& larger = left.rows() < right.rows() ? right : left;
    if (maySplit(larger)) {
        // The larger one's histogram is what the smaller leaves of the parent's.
        fillHistogram(smaller);
        larger.histogram = std::move(parent.histogram);
        for (std::size_t i = 0; i < larger.histogram.size(); ++i) larger.histogram[i] -= smaller.histogram[i];
        findSplit(larger);
        if (maySplit(smaller)) findSplit(smaller);
        else release(smaller.histogram);
    } else {
        release(parent.histogram);
    }
    leaves_[index] = std::move(left);
    leaves_.push_back(std::move(right));
}

void TreeGrower::finish(BoostedTrees::Tree& tree, std::vector<float>& predictions) const {
    std::vector<double> values;
    double largest = 0;
    for (const Leaf& leaf : leaves_) {
        values.push_back(options_.learningRate * quantum_ * static_cast<double>(leaf.sum) * reciprocals_[leaf.rows()]);
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
