// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/boosted_trees.hpp"
#include "core/operators/bytes.hpp"
#include "core/operators/tree_grower.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t mostCuts = 254;
constexpr std::size_t mostTrees = 4096;
constexpr float largestScale = 1e6F; ///< of a logarithm's 127th part; more is damage
/// Trees walked side by side: each waits for its own node to be loaded.
constexpr std::size_t sideBySide = 8;

/// Flags beside a node's feature in the file.
constexpr std::uint8_t leftIsLeaf = 1 << 6, rightIsLeaf = 1 << 7, featureMask = leftIsLeaf - 1;

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

} // namespace

/// Upper ends of ranges that hold about equally many of the values; equal values share a range.
BoostedTrees::Column BoostedTrees::columnOf(std::vector<float> values) {
    std::sort(values.begin(), values.end());
    Column column;
    column.lowest = values.front();
    column.span = values.back() - values.front();
    if (!(column.span > 0)) return column;
    std::vector<float> distinct(values);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const auto add = [&](float low, float high) {
        const float middle = (low + high) / 2;
        const auto cut = static_cast<std::uint16_t>(std::lround((middle - column.lowest) / column.span * 65535.0F));
        if (column.cuts.empty() || cut > column.cuts.back()) column.cuts.push_back(cut);
    };
    if (distinct.size() <= mostCuts + 1) {
        for (std::size_t i = 0; i + 1 < distinct.size(); ++i) add(distinct[i], distinct[i + 1]);
        return column;
    }
    for (std::size_t i = 1; i <= mostCuts; ++i) {
        const auto low = std::lower_bound(distinct.begin(), distinct.end() - 2, values[i * values.size() / (mostCuts + 1)]);
        add(*low, *(low + 1));
    }
    return column;
}

BoostedTrees BoostedTrees::fit(const FeatureMatrix& features, const std::vector<float>& targets, const BoostingOptions& options) {
    const std::size_t rows = features.rows(), columns = features.columns;
    require(rows > 0 && rows == targets.size(), "trees need rows with a target each");
    require(columns > 0 && columns <= mostColumns, "trees take 1 to 64 features");
    require(options.leaves >= 2 && options.leaves <= mostLeaves && options.depth >= 1 && options.trees >= 0 && options.leastRows >= 1,
            "trees have 2 to 127 leaves");
    BoostedTrees model;
    std::vector<std::uint8_t> bins(rows * columns);
    std::vector<std::size_t> binCounts;
    for (std::size_t c = 0; c < columns; ++c) {
        std::vector<float> values(rows);
        for (std::size_t r = 0; r < rows; ++r) values[r] = features.row(r)[c];
        const Column column = columnOf(values);
        std::vector<float> cuts;
        for (std::size_t i = 0; i < column.cuts.size(); ++i) cuts.push_back(column.cut(i));
        for (std::size_t r = 0; r < rows; ++r)
            bins[r * columns + c] = static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), values[r]) - cuts.begin());
        binCounts.push_back(column.cuts.size() + 1);
        model.cuts_.push_back(column);
    }
    std::vector<float> sorted(targets);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rows / 2), sorted.end());
    model.base_ = sorted[rows / 2];
    std::vector<float> predictions(rows, model.base_), residuals(rows);
    TreeGrower grower(bins, binCounts, options);
    const auto reach = static_cast<float>(options.outlier);
    for (int tree = 0; tree < options.trees; ++tree) {
        for (std::size_t r = 0; r < rows; ++r) residuals[r] = std::clamp(targets[r] - predictions[r], -reach, reach);
        model.trees_.push_back(grower.grow(residuals, predictions));
        if (!model.trees_.back().nodes.empty()) continue;
        model.trees_.pop_back();
        break;
    }
    model.dropUnusedCuts();
    model.makeWalks();
    return model;
}

/// Most cuts of a small table are in no tree.
void BoostedTrees::dropUnusedCuts() {
    std::vector<std::vector<std::uint8_t>> place(cuts_.size()); // of a used cut among those, plus one
    for (std::size_t c = 0; c < cuts_.size(); ++c) place[c].assign(cuts_[c].cuts.size(), 0);
    for (const Tree& tree : trees_)
        for (const Node& node : tree.nodes) place[node.feature][node.bin] = 1;
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
        std::vector<std::uint16_t> used;
        for (std::size_t i = 0; i < place[c].size(); ++i) {
            if (place[c][i] == 0) continue;
            used.push_back(cuts_[c].cuts[i]);
            place[c][i] = static_cast<std::uint8_t>(used.size());
        }
        cuts_[c].cuts = std::move(used);
    }
    for (Tree& tree : trees_)
        for (Node& node : tree.nodes) node.bin = static_cast<std::uint8_t>(place[node.feature][node.bin] - 1);
}

void BoostedTrees::makeWalks() {
    steps_.clear();
    walks_.clear();
    std::size_t steps = 0;
    for (const Tree& tree : trees_) steps += tree.nodes.size() + tree.leaves.size();
    steps_.reserve(steps);
    walks_.reserve(trees_.size());
    std::vector<std::uint32_t> depth;
    for (const Tree& tree : trees_) {
        Walk walk;
        walk.first = static_cast<std::uint32_t>(steps_.size());
        const std::size_t nodes = tree.nodes.size();
        const auto place = [&](int child) { return static_cast<std::uint8_t>(child >= 0 ? child : static_cast<int>(nodes) + ~child); };
        depth.assign(nodes, 1);
        for (std::size_t i = 0; i < nodes; ++i) {
            const Node& node = tree.nodes[i];
            steps_.push_back({cuts_[node.feature].cut(node.bin), node.feature, {place(node.left), place(node.right)}});
            walk.depth = std::max(walk.depth, depth[i]);
            for (const int child : {node.left, node.right})
                if (child >= 0) depth[static_cast<std::size_t>(child)] = depth[i] + 1;
        }
        for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
            const auto self = static_cast<std::uint8_t>(nodes + i);
            steps_.push_back({tree.scale * static_cast<float>(tree.leaves[i]), 0, {self, self}});
        }
        walks_.push_back(walk);
    }
}

double BoostedTrees::predict(const float* features) const {
    double sum = base_;
    const std::size_t whole = walks_.size() / sideBySide * sideBySide;
    for (std::size_t first = 0; first < whole; first += sideBySide) {
        const Step* trees[sideBySide];
        std::size_t at[sideBySide] = {};
        std::uint32_t depth = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < sideBySide; ++i) {
            trees[i] = steps_.data() + walks_[first + i].first;
            depth = std::max(depth, walks_[first + i].depth);
        }
        for (; depth > 0; --depth) {
#pragma GCC unroll 8
            for (std::size_t i = 0; i < sideBySide; ++i) {
                const Step& step = trees[i][at[i]];
                at[i] = step.next[features[step.feature] > step.cut];
            }
        }
        for (std::size_t i = 0; i < sideBySide; ++i) sum += trees[i][at[i]].cut;
    }
    for (std::size_t i = whole; i < walks_.size(); ++i) {
        const Step* tree = steps_.data() + walks_[i].first;
        std::size_t at = 0;
        for (std::uint32_t depth = walks_[i].depth; depth > 0; --depth) at = tree[at].next[features[tree[at].feature] > tree[at].cut];
        sum += tree[at].cut;
    }
    return sum;
}

void BoostedTrees::writeNode(const Tree& tree, int at, std::string& to) {
    const Node& node = tree.nodes[static_cast<std::size_t>(at)];
    bytes::put8(to, static_cast<std::uint8_t>(node.feature | (node.left < 0 ? leftIsLeaf : 0) | (node.right < 0 ? rightIsLeaf : 0)));
    bytes::put8(to, node.bin);
    for (const int child : {node.left, node.right}) {
        if (child >= 0) writeNode(tree, child, to);
        else bytes::put8(to, static_cast<std::uint8_t>(tree.leaves[static_cast<std::size_t>(~child)]));
    }
}

void BoostedTrees::write(std::string& to) const {
    bytes::put8(to, static_cast<std::uint8_t>(cuts_.size()));
    for (const Column& column : cuts_) {
        bytes::putFloat(to, column.lowest);
        bytes::putFloat(to, column.span);
        bytes::put8(to, static_cast<std::uint8_t>(column.cuts.size()));
        for (const std::uint16_t cut : column.cuts) bytes::put16(to, cut);
    }
    bytes::putFloat(to, base_);
    bytes::put16(to, static_cast<std::uint16_t>(trees_.size()));
    for (const Tree& tree : trees_) {
        bytes::putFloat(to, tree.scale);
        bytes::put8(to, static_cast<std::uint8_t>(tree.nodes.size()));
        writeNode(tree, 0, to);
    }
}

/// A node with what lies below it, parents before children; gives its place.
int BoostedTrees::readNode(Tree& tree, std::string_view& from, std::size_t nodes) {
    require(tree.nodes.size() < nodes, "a tree has more nodes than it says");
    const auto at = static_cast<int>(tree.nodes.size());
    const std::uint8_t head = bytes::take8(from);
    tree.nodes.push_back({static_cast<std::uint8_t>(head & featureMask), bytes::take8(from), 0, 0});
    for (const bool right : {false, true}) {
        int child = 0;
        if ((head & (right ? rightIsLeaf : leftIsLeaf)) != 0) {
            child = ~static_cast<int>(tree.leaves.size());
            tree.leaves.push_back(static_cast<std::int8_t>(bytes::take8(from)));
        } else {
            child = readNode(tree, from, nodes);
        }
        Node& node = tree.nodes[static_cast<std::size_t>(at)];
        (right ? node.right : node.left) = static_cast<std::int8_t>(child);
    }
    return at;
}

BoostedTrees BoostedTrees::read(std::string_view& from) {
    BoostedTrees model;
    model.cuts_.resize(bytes::take8(from));
    require(!model.cuts_.empty() && model.cuts_.size() <= mostColumns, "trees take 1 to 64 features");
    for (Column& column : model.cuts_) {
        column.lowest = bytes::takeFloat(from);
        column.span = bytes::takeFloat(from);
        require(std::isfinite(column.lowest) && std::isfinite(column.span) && column.span >= 0, "a feature's range is no range");
        column.cuts.resize(bytes::take8(from));
        for (std::uint16_t& cut : column.cuts) cut = bytes::take16(from);
    }
    model.base_ = bytes::takeFloat(from);
    require(std::abs(model.base_) < largestScale, "a median is out of range");
    const std::size_t trees = bytes::take16(from);
    require(trees <= mostTrees, "there are too many trees");
    model.trees_.reserve(trees);
    for (std::size_t i = 0; i < trees; ++i) {
        Tree& tree = model.trees_.emplace_back();
        tree.scale = bytes::takeFloat(from);
        require(tree.scale >= 0 && tree.scale < largestScale, "a tree's scale is out of range");
        const std::size_t nodes = bytes::take8(from);
        require(nodes >= 1 && nodes < static_cast<std::size_t>(mostLeaves), "a tree has no node or too many");
        tree.nodes.reserve(nodes);
        tree.leaves.reserve(nodes + 1);
        readNode(tree, from, nodes);
        require(tree.nodes.size() == nodes, "a tree has fewer nodes than it says");
        for (const Node& node : tree.nodes)
            require(node.feature < model.cuts_.size() && node.bin < model.cuts_[node.feature].cuts.size(), "a tree asks for a feature that is not there");
    }
    model.makeWalks();
    return model;
}

std::size_t BoostedTrees::storedSize(std::string_view from) {
    const std::size_t whole = from.size();
    for (std::size_t left = bytes::take8(from); left > 0; --left) {
        bytes::take(from, 2 * sizeof(float));
        bytes::take(from, bytes::take8(from) * sizeof(std::uint16_t));
    }
    bytes::takeFloat(from);
    for (std::size_t left = bytes::take16(from); left > 0; --left) {
        bytes::takeFloat(from);
        const std::size_t nodes = bytes::take8(from);
        bytes::take(from, 2 * nodes + (nodes + 1)); // two bytes a node, one a leaf: see writeNode
    }
    return whole - from.size();
}

struct StoredTrees::Shared {
    std::string bytes; ///< empty: the trees were fitted here
    BoostedTrees trees;
    std::atomic<bool> isDecoded{false};
    std::mutex decoding;
};

StoredTrees::StoredTrees(BoostedTrees trees) : shared_(std::make_shared<Shared>()) {
    shared_->trees = std::move(trees);
    shared_->isDecoded = true;
}

StoredTrees::~StoredTrees() = default;
StoredTrees::StoredTrees(const StoredTrees&) = default;
StoredTrees& StoredTrees::operator=(const StoredTrees&) = default;
StoredTrees::StoredTrees(StoredTrees&&) noexcept = default;
StoredTrees& StoredTrees::operator=(StoredTrees&&) noexcept = default;

std::size_t StoredTrees::columns() const {
    std::string_view bytes = shared_->bytes;
    return bytes.empty() ? shared_->trees.columns() : bytes::take8(bytes);
}

const BoostedTrees& StoredTrees::decode() const {
    Shared& shared = *shared_;
    if (shared.isDecoded.load(std::memory_order_acquire)) return shared.trees;
    const std::lock_guard lock(shared.decoding);
    if (!shared.isDecoded.load(std::memory_order_relaxed)) {
        std::string_view bytes = shared.bytes;
        shared.trees = BoostedTrees::read(bytes);
        shared.isDecoded.store(true, std::memory_order_release);
    }
    return shared.trees;
}

void StoredTrees::write(std::string& to) const {
    if (shared_->bytes.empty()) shared_->trees.write(to);
    else to += shared_->bytes;
}

StoredTrees StoredTrees::read(std::string_view& from) {
    StoredTrees stored;
    stored.shared_->bytes = bytes::take(from, BoostedTrees::storedSize(from));
    stored.shared_->isDecoded = false;
    return stored;
}

} // namespace orrery
