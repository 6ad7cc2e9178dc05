// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/boosted_trees.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace orrery {
namespace {

struct Fitted {
    FeatureMatrix features;
    BoostedTrees trees;
    std::string bytes;
};

Fitted fitted() {
    test::RandomSource random(41);
    Fitted made;
    made.features.columns = 5;
    std::vector<float> targets;
    BoostingOptions options;
    options.trees = 6;
    for (int row = 0; row < 300; ++row) {
        for (int column = 0; column < 5; ++column) made.features.values.push_back(static_cast<float>(random.unit()));
        const float* values = made.features.row(made.features.rows() - 1);
        targets.push_back(values[0] * values[1] - values[2]);
    }
    made.trees = BoostedTrees::fit(made.features, targets, options);
    made.trees.write(made.bytes);
    return made;
}

TEST(StoredTrees, PredictAsTheTreesTheyWereWrittenFrom) {
    const Fitted made = fitted();
    const std::string bytes = made.bytes + "more";
    std::string_view left(bytes);
    const StoredTrees stored = StoredTrees::read(left);
    EXPECT_EQ(left, "more");
    EXPECT_EQ(stored.columns(), 5U);
    for (std::size_t row = 0; row < made.features.rows(); ++row)
        EXPECT_EQ(stored.predict(made.features.row(row)), made.trees.predict(made.features.row(row)));
    std::string again;
    stored.write(again);
    EXPECT_EQ(again, made.bytes);
}

TEST(StoredTrees, AreDecodedOnceForManyThreadsAndCopies) {
    const Fitted made = fitted();
    std::string_view left(made.bytes);
    const StoredTrees stored = StoredTrees::read(left);
    const StoredTrees copy = stored;
    std::vector<const BoostedTrees*> decoded(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < decoded.size(); ++i) threads.emplace_back([&, i] { decoded[i] = &(i % 2 ? copy : stored).decode(); });
    for (std::thread& thread : threads) thread.join();
    for (const BoostedTrees* one : decoded) EXPECT_EQ(one, decoded.front());
    EXPECT_EQ(decoded.front()->predict(made.features.row(7)), made.trees.predict(made.features.row(7)));
}

TEST(StoredTrees, RefuseWhatBreaksOff) {
    const Fitted made = fitted();
    for (std::size_t length = 0; length < made.bytes.size(); ++length) {
        std::string_view left = std::string_view(made.bytes).substr(0, length);
        EXPECT_THROW(StoredTrees::read(left), std::invalid_argument) << length;
    }
}

/// The first tree's first node asks for a feature that is not there: nobody may be told a time made from it, however often they ask.
TEST(StoredTrees, RefuseTreesThatMakeNoSenseWheneverAsked) {
    const Fitted made = fitted();
    std::size_t damaged = 0;
    for (std::size_t place = 0; place < made.bytes.size(); ++place) {
        std::string bytes = made.bytes;
        bytes[place] = static_cast<char>(bytes[place] | 0x3F); // feature 63 of 5
        std::string_view left(bytes), whole(bytes);
        try {
            BoostedTrees::read(whole);
            continue;
        } catch (const std::invalid_argument&) {
        }
        try {
            const StoredTrees stored = StoredTrees::read(left);
            for (int ask = 0; ask < 2; ++ask) EXPECT_THROW(stored.predict(made.features.row(0)), std::invalid_argument);
            ++damaged;
        } catch (const std::invalid_argument&) {
        }
    }
    EXPECT_GT(damaged, 100U);
}

} // namespace
} // namespace orrery
