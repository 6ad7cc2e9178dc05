// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Rows of equal width, one after the other.
struct FeatureMatrix {
    std::size_t columns = 0;
    std::vector<float> values;

    std::size_t rows() const { return columns ? values.size() / columns : 0; }
    const float* row(std::size_t index) const { return values.data() + index * columns; }
};

struct BoostingOptions {
    int trees = 128;
    int leaves = 96; ///< of a tree, at most
    int depth = 9;   ///< of a tree, at most
    double learningRate = 0.15;
    int leastRows = 8;      ///< in a leaf
    double shrinkage = 1;   ///< rows' worth of zero that is added to each leaf's mean
    double columnShare = 1; ///< of the features, that each split is sought among; drawn by a fixed rule (Breiman 2001)
    double outlier = 0.25;  ///< residuals beyond it pull no harder (Huber 1964); in units of the target
};

/// Gradient-boosted regression trees (Friedman 2001) over features cut into at most 255 ranges of equal counts (Ke et al. 2017,
/// LightGBM). Fitting is deterministic: what is drawn follows from a fixed count, sums run in one order.
class BoostedTrees {
public:
    static constexpr std::size_t mostColumns = 64;
    static constexpr int mostLeaves = 127;

    /// Throws std::invalid_argument on no rows, on more columns or leaves than that, on options that grow no tree.
    static BoostedTrees fit(const FeatureMatrix& features, const std::vector<float>& targets, const BoostingOptions& options);

    double predict(const float* features) const;
    std::size_t columns() const { return cuts_.size(); }
    std::size_t trees() const { return trees_.size(); }

    /// Little-endian bytes: cuts in 16 bit between their column's lowest and highest value, leaves in 8 bit of their tree's largest.
    void write(std::string& bytes) const;
    /// Takes its part off the front of `bytes`. Throws std::invalid_argument where they are not what `write` wrote.
    static BoostedTrees read(std::string_view& bytes);
    /// Bytes that `read` takes, without a look at what the trees ask for. Throws std::invalid_argument where `bytes` has fewer.
    static std::size_t storedSize(std::string_view bytes);

private:
    friend class TreeGrower;

    /// A child below zero is a leaf: ~child is its index.
    struct Node {
        std::uint8_t feature = 0;
        std::uint8_t bin = 0; ///< bins up to this one go left
        std::int8_t left = -1, right = -1;
    };
    struct Tree {
        std::vector<Node> nodes; ///< none: one leaf
        std::vector<std::int8_t> leaves;
        float scale = 0; ///< of the leaves
    };
    /// Node or leaf as it is walked: a leaf leads to itself and has its value for a cut.
    struct Step {
        float cut = 0; ///< values up to it go left
        std::uint8_t feature = 0;
        std::uint8_t next[2] = {0, 0}; ///< left, right
    };
    struct Walk {
        std::uint32_t first = 0; ///< step
        std::uint32_t depth = 0;
    };
    struct Column {
        float lowest = 0, span = 0;
        std::vector<std::uint16_t> cuts;
        float cut(std::size_t index) const { return lowest + span * (static_cast<float>(cuts[index]) / 65535.0F); }
    };

    static Column columnOf(std::vector<float> values);
    void dropUnusedCuts();
    void makeWalks();
    static void writeNode(const Tree& tree, int node, std::string& bytes);
    static int readNode(Tree& tree, std::string_view& bytes, std::size_t nodes);

    std::vector<Column> cuts_;
    float base_ = 0;
    std::vector<Tree> trees_;
    std::vector<Step> steps_; ///< of all trees
    std::vector<Walk> walks_;
};

/// Trees as bytes until somebody asks for a prediction: of a file's many models a scenario needs few. Copies share what is decoded; any
/// number of threads may ask.
class StoredTrees {
public:
    StoredTrees() : StoredTrees(BoostedTrees{}) {}
    StoredTrees(BoostedTrees trees);
    ~StoredTrees();
    StoredTrees(const StoredTrees&);
    StoredTrees& operator=(const StoredTrees&);
    StoredTrees(StoredTrees&&) noexcept;
    StoredTrees& operator=(StoredTrees&&) noexcept;

    /// Throws std::invalid_argument where the bytes are not what `write` wrote, as `decode` does.
    double predict(const float* features) const { return decode().predict(features); }
    /// Features that they take.
    std::size_t columns() const;
    const BoostedTrees& decode() const;

    void write(std::string& bytes) const;
    /// Takes its part off the front of `bytes`. Throws std::invalid_argument where they end too early; what is in them is looked at by
    /// `decode`.
    static StoredTrees read(std::string_view& bytes);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_; ///< never null but when moved from
};

} // namespace orrery
