// SPDX-License-Identifier: GPL-3.0-or-later
// Values as the contract writes them.
#include "core/answers/explore/value_list.hpp"
#include "core/base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

Json valuesOf(const std::string& text) {
    Problems problems;
    const auto values = parseValues(text, 1000, problems);
    Json list = Json::array();
    if (values)
        for (const BoxedJson& value : *values) list.push_back(*value);
    EXPECT_EQ(values.has_value(), problems.empty()) << text;
    return values ? list : Json(problems.empty() ? "" : problems.front().message);
}

TEST(ValueList, ListsRangesAndStepsMeanWhatTheContractSays) {
    EXPECT_EQ(valuesOf("1,2,4"), Json({1, 2, 4}));
    EXPECT_EQ(valuesOf("1..4"), Json({1, 2, 3, 4}));
    EXPECT_EQ(valuesOf("1..8:2"), Json({1, 3, 5, 7}));
    EXPECT_EQ(valuesOf("8..2:-3"), Json({8, 5, 2}));
    EXPECT_EQ(valuesOf("0.1..0.5:0.1"), Json({0.1, 0.2, 0.3, 0.4, 0.5}));
    EXPECT_EQ(valuesOf("log:1..64:7"), Json({1, 2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(valuesOf("full,none,true,null"), Json({"full", "none", true, nullptr}));
    EXPECT_EQ(valuesOf(R"(["a",1],{"every":2})"), Json::parse(R"([["a",1],{"every":2}])"));
    EXPECT_EQ(valuesOf("1,2..4,8"), Json({1, 2, 3, 4, 8}));
}

TEST(ValueList, LogarithmicStepsAreEvenInTheLogarithm) {
    const Json values = valuesOf("log:25..400:9");
    ASSERT_EQ(values.size(), 9U);
    EXPECT_EQ(values.front(), 25);
    EXPECT_EQ(values.back(), 400);
    for (std::size_t i = 1; i < values.size(); ++i) EXPECT_NEAR(values[i].get<double>() / values[i - 1].get<double>(), std::pow(16, 1.0 / 8), 1e-9);
}

TEST(ValueList, WhatMeansNothingIsRefusedInWords) {
    for (const char* text : {"", "1,,2", "1..8:-1", "1..8:0", "log:0..8:3", "log:1..8", "log:1..8:1", "1..1000000000"}) EXPECT_TRUE(valuesOf(text).is_string()) << text;
    Problems problems;
    EXPECT_FALSE(parseRange("400..25", problems));
    EXPECT_FALSE(parseRange("25", problems));
    EXPECT_FALSE(parseAssignment("/a", problems));
    EXPECT_FALSE(parseAssignment("a=1", problems));
    for (const Problem& problem : problems) EXPECT_FALSE(problem.mend.empty()) << problem.message;
}

TEST(ValueList, ARangeKnowsWhetherItsEndsAreWrittenAsWholeNumbers) {
    Problems problems;
    EXPECT_TRUE(parseRange("1..64", problems)->wholeNumbers);
    EXPECT_FALSE(parseRange("1.0..64", problems)->wholeNumbers);
    EXPECT_EQ(parseRange("log:25..400", problems)->high, 400);
    EXPECT_TRUE(problems.empty());
}

} // namespace
} // namespace orrery
