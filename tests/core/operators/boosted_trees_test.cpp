// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/boosted_trees.hpp"

#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

int integer(test::RandomSource& random, int low, int high) { return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low + 1))); }

struct Data {
    FeatureMatrix features;
    std::vector<float> targets;
};

Data randomData(std::uint64_t seed, std::size_t rows, std::size_t columns) {
    test::RandomSource random(seed);
    Data data;
    data.features.columns = columns;
    for (std::size_t r = 0; r < rows; ++r) {
        float sum = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            // A few distinct values, so that rows tie.
            data.features.values.push_back(static_cast<float>(integer(random, 0, 12)));
            sum += data.features.values.back() * static_cast<float>(c + 1);
        }
        data.targets.push_back(std::sin(sum) + 0.1F * static_cast<float>(integer(random, 0, 10)));
    }
    return data;
}

/// Squared error left when rows up to `cut` and rows above have a value each; negative where a side is too small.
double errorOfSplit(const Data& data, std::size_t column, float cut, std::size_t leastRows) {
    double sums[2] = {0, 0}, squares[2] = {0, 0};
    std::size_t counts[2] = {0, 0};
    for (std::size_t r = 0; r < data.targets.size(); ++r) {
        const int side = data.features.row(r)[column] > cut ? 1 : 0;
        sums[side] += data.targets[r];
        squares[side] += double(data.targets[r]) * data.targets[r];
        ++counts[side];
    }
    if (counts[0] < leastRows || counts[1] < leastRows) return -1;
    double error = 0;
    for (const int side : {0, 1}) error += squares[side] - sums[side] * sums[side] / double(counts[side]);
    return error;
}

double squaredError(const BoostedTrees& trees, const Data& data) {
    double error = 0;
    for (std::size_t r = 0; r < data.targets.size(); ++r) {
        const double difference = trees.predict(data.features.row(r)) - data.targets[r];
        error += difference * difference;
    }
    return error;
}

/// One split of four columns of thirteen values: one cut is stored, and what is read back predicts the same.
TEST(BoostedTrees, StoreTheCutsThatTheyAskFor) {
    const Data data = randomData(3, 200, 4);
    BoostingOptions options;
    options.trees = 1;
    options.leaves = 2;
    const BoostedTrees trees = BoostedTrees::fit(data.features, data.targets, options);
    std::string bytes;
    trees.write(bytes);
    constexpr std::size_t columns = 1 + 4 * (2 * sizeof(float) + 1), oneCut = 2, medianAndCount = sizeof(float) + 2, oneTree = sizeof(float) + 1 + 4;
    EXPECT_EQ(bytes.size(), columns + oneCut + medianAndCount + oneTree);
    std::string_view left(bytes);
    const BoostedTrees again = BoostedTrees::read(left);
    for (std::size_t r = 0; r < data.features.rows(); ++r) EXPECT_EQ(again.predict(data.features.row(r)), trees.predict(data.features.row(r)));
}

/// One tree of two leaves, whole steps, no shrinkage: the best split that a search over every column and value finds.
TEST(BoostedTrees, OneSplitIsTheBestThereIs) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Data data = randomData(seed, 60, 4);
        BoostingOptions options;
        options.trees = 1;
        options.leaves = 2;
        options.learningRate = 1;
        options.shrinkage = 0;
        options.outlier = 1e9;
        options.leastRows = 5;
        double best = -1;
        for (std::size_t column = 0; column < 4; ++column) {
            for (int value = 0; value < 12; ++value) {
                const double error = errorOfSplit(data, column, static_cast<float>(value) + 0.5F, 5);
                if (error >= 0 && (best < 0 || error < best)) best = error;
            }
        }
        const BoostedTrees trees = BoostedTrees::fit(data.features, data.targets, options);
        // A leaf is kept in 8 bits of the larger one: half a 127th of it, squared, a row.
        EXPECT_NEAR(squaredError(trees, data), best, 60 * 2e-4 + 0.01 * best) << "seed " << seed;
    }
}

TEST(BoostedTrees, MoreTreesLeaveLessError) {
    const Data data = randomData(7, 500, 5);
    double before = 1e30;
    for (const int trees : {0, 5, 20, 80, 320}) {
        BoostingOptions options;
        options.trees = trees;
        options.outlier = 1e9;
        const double error = squaredError(BoostedTrees::fit(data.features, data.targets, options), data);
        EXPECT_LT(error, before);
        before = error;
    }
}

TEST(BoostedTrees, LargestOutlierPullsNoHarderThanItsNeighbour) {
    Data data = randomData(3, 300, 3);
    BoostingOptions options;
    options.trees = 20;
    const auto withOutlier = [&](float value) {
        data.targets[0] = value;
        return BoostedTrees::fit(data.features, data.targets, options);
    };
    const BoostedTrees near = withOutlier(100), far = withOutlier(100000);
    for (std::size_t r = 0; r < 300; ++r) EXPECT_EQ(near.predict(data.features.row(r)), far.predict(data.features.row(r)));
}

TEST(BoostedTrees, ReadsBackWhatItWrote) {
    const Data data = randomData(11, 400, 6);
    const BoostedTrees trees = BoostedTrees::fit(data.features, data.targets, {});
    std::string bytes;
    trees.write(bytes);
    std::string_view left(bytes);
    const BoostedTrees again = BoostedTrees::read(left);
    EXPECT_TRUE(left.empty());
    for (std::size_t r = 0; r < 400; ++r) EXPECT_EQ(trees.predict(data.features.row(r)), again.predict(data.features.row(r)));
    std::string twice;
    again.write(twice);
    EXPECT_EQ(bytes, twice);
}

/// Any byte may be another, any end may be missing: either it is refused or it predicts something finite.
TEST(BoostedTrees, DamagedBytesAreRefusedOrHarmless) {
    const Data data = randomData(12, 200, 4);
    BoostingOptions options;
    options.trees = 6;
    std::string bytes;
    BoostedTrees::fit(data.features, data.targets, options).write(bytes);
    int refused = 0;
    const auto attempt = [&](std::string_view damaged) {
        try {
            const BoostedTrees trees = BoostedTrees::read(damaged);
            if (trees.columns() == 4) {
                EXPECT_TRUE(std::isfinite(trees.predict(data.features.row(0))));
            }
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    };
    for (std::size_t length = 0; length < bytes.size(); ++length) attempt(std::string_view(bytes).substr(0, length));
    EXPECT_EQ(refused, static_cast<int>(bytes.size()));
    test::RandomSource random(5);
    for (int i = 0; i < 3000; ++i) {
        std::string damaged = bytes;
        damaged[static_cast<std::size_t>(integer(random, 0, static_cast<int>(bytes.size()) - 1))] = static_cast<char>(integer(random, 0, 255));
        attempt(damaged);
    }
}

TEST(BoostedTrees, RefusesWhatCannotBeFitted) {
    EXPECT_THROW(BoostedTrees::fit({}, {}, {}), std::invalid_argument);
    const Data data = randomData(1, 10, 2);
    EXPECT_THROW(BoostedTrees::fit(data.features, {1, 2}, {}), std::invalid_argument);
    BoostingOptions options;
    options.leaves = 128;
    EXPECT_THROW(BoostedTrees::fit(data.features, data.targets, options), std::invalid_argument);
}

} // namespace
} // namespace orrery
