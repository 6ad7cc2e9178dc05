// SPDX-License-Identifier: GPL-3.0-or-later
// Clauses of lessons, against arithmetic by hand.
#include "core/answers/lessons/lesson_clause.hpp"
#include "core/base/json.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace orrery::test {
namespace {

/// A result with /a = 6, /b = 3 and /word = 'memory'; a scenario with /tensor = 8; a term {one} = 2; the answer 27.3.
LessonLookup figures() {
    return {[](const std::string& pointer) -> LessonValue {
                if (pointer == "/a") return 6.0;
                if (pointer == "/b") return 3.0;
                if (pointer == "/operations/kind=mlp.down,phase=decode/bound") return std::string("memory");
                return {};
            },
            [](const std::string& pointer) -> LessonValue { return pointer == "/parallelism/tensor" ? LessonValue(8.0) : pointer == "/parallelism/sequence" ? LessonValue(false)
                                                                                                                                                            : LessonValue(); },
            [](const std::string& name) -> LessonValue { return name == "one" ? LessonValue(2.0) : LessonValue(); }, 27.3};
}

TEST(LessonClauses, HoldAsArithmeticSays) {
    for (const char* clause : {"/a = 6", "/a / /b = 2", "/a / 2 = /b", "/a * /b - 2 = 16", "(/a + /b) / 3 >= 3", "/a / /b / {one} = 1", "-/a < /b", "answer = 27 ± 0.5", "answer / 100 = 0.27 ± 2 %",
                               "scenario:/parallelism/tensor * 2 = 16", "scenario:/parallelism/sequence = false", "/operations/kind=mlp.down,phase=decode/bound = 'memory'",
                               "/operations/kind=mlp.down,phase=decode/bound != 'compute'", "2 + 4 + 12 / 8 = 7.5", "989e12 / 3.35e12 = 295 ± 1 %"})
        EXPECT_TRUE(judgeClause(clause, figures()).passed) << clause;
    for (const char* clause : {"/a != 6", "/a <= 5.9", "answer = 27 ± 0.2", "answer / 100 = 0.27 ± 1 %", "/missing = 0", "/missing != 0", "/a / /missing > 0", "/a = 'memory'", "{two} = 2", "/a / 0 > 1"})
        EXPECT_FALSE(judgeClause(clause, figures()).passed) << clause;
}

TEST(LessonClauses, SayWhatTheyLookedAt) {
    const ClauseVerdict verdict = judgeClause("/a / {one} <= 2.5", figures());
    EXPECT_EQ(verdict.left, "/a / {one}");
    EXPECT_EQ(std::get<double>(verdict.value), 3);
    EXPECT_EQ(std::get<double>(verdict.expected), 2.5);
    EXPECT_FALSE(verdict.asksAnswer);
    EXPECT_TRUE(judgeClause("answer = 3", figures()).asksAnswer);
    EXPECT_EQ(termsOfClause("{x16} / {x8} = 5.1 ± 3 %"), (std::vector<std::string>{"x16", "x8"}));
}

TEST(LessonClauses, ThatCannotBeReadSayWhy) {
    const std::string deep = std::string(200, '(') + "1" + std::string(200, ')') + " = 1";
    for (const std::string& clause : {std::string(), std::string("/a"), std::string("/a = "), std::string("= 3"), std::string("/a = 3 4"), std::string("(/a = 3"), std::string("'open = 3"), std::string("{open = 3"), std::string("/a = 3 ± x"), std::string("/1 = 3"), deep}) {
        EXPECT_FALSE(faultOfClause(clause).empty()) << clause;
        EXPECT_THROW(judgeClause(clause, figures()), std::invalid_argument) << clause;
    }
    EXPECT_TRUE(faultOfClause("/a = 3").empty());
}

} // namespace
} // namespace orrery::test
