// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/scenario/reader/reader.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace orrery {
namespace {

struct Broken {
    const char* name;
    const char* text;
    int line;
    int column;
    const char* code;
    const char* message;
};

class BrokenJson : public testing::TestWithParam<Broken> {};

TEST_P(BrokenJson, NamesPlaceAndMend) {
    Problems problems;
    EXPECT_FALSE(parseJson(GetParam().text, "mine.orrery.json", problems).has_value());
    ASSERT_EQ(problems.size(), 1u);
    const Problem& problem = problems.front();
    EXPECT_EQ(problem.severity, Severity::error);
    EXPECT_EQ(problem.file, "mine.orrery.json");
    EXPECT_EQ(problem.line, GetParam().line);
    EXPECT_EQ(problem.column, GetParam().column);
    EXPECT_EQ(problem.code, GetParam().code);
    EXPECT_EQ(problem.message, GetParam().message);
    EXPECT_FALSE(problem.mend.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenJson,
    testing::Values(
        Broken{"empty", "", 1, 1, "json-empty", "The file is empty."},
        Broken{"blank", " \n\t\n", 3, 1, "json-empty", "The file is empty."},
        Broken{"missingComma", "{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "json-syntax",
               "Expected a comma or } after the value of \"a\", but found a quotation mark."},
        Broken{"trailingComma", "{\"a\": 1,\n}", 2, 1, "json-syntax", "A comma must be followed by another key, but the object ends here."},
        Broken{"trailingCommaInList", "[1, 2, ]", 1, 8, "json-syntax", "A comma must be followed by another value, but the list ends here."},
        Broken{"missingColon", "{\"a\" 1}", 1, 6, "json-syntax", "Expected a colon after the key \"a\", but found \"1\"."},
        Broken{"bareKey", "{a: 1}", 1, 2, "json-syntax", "Expected a key in double quotes, but found \"a\"."},
        Broken{"singleQuotes", "{\"a\": 'b'}", 1, 7, "json-syntax", "JSON texts stand in double quotes, not single ones."},
        Broken{"comment", "{\n  // tensor\n}", 2, 3, "json-syntax", "JSON has no comments."},
        Broken{"bareWord", "{\"a\": bf16}", 1, 7, "json-syntax", "Expected a value, but found \"bf16\"."},
        Broken{"python", "{\"a\": True}", 1, 7, "json-syntax", "\"True\" must be in lower case."},
        Broken{"nan", "{\"a\": NaN}", 1, 7, "json-not-a-number", "\"NaN\" is not a number that can be calculated with."},
        Broken{"infinity", "[Infinity]", 1, 2, "json-not-a-number", "\"Infinity\" is not a number that can be calculated with."},
        Broken{"minusInfinity", "[-Infinity]", 1, 2, "json-not-a-number", "\"Infinity\" is not a number that can be calculated with."},
        Broken{"huge", "{\"a\":\n1e999}", 2, 1, "json-number-range", "The number 1e999 is larger than any that can be calculated with."},
        Broken{"duplicate", "{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", 3, 2, "json-duplicate-key", "The key \"a\" appears twice in the same object."},
        Broken{"unclosedObject", "{\"a\": {\"b\": 1}", 1, 15, "json-syntax", "The file ends before the { of line 1, column 1 is closed."},
        Broken{"unclosedText", "{\"a\": \"b}", 1, 7, "json-syntax", "The text that starts here has no closing quotation mark on its line."},
        Broken{"mismatched", "[1, 2}", 1, 6, "json-syntax", "Expected a comma or ] after the value of a list, but found }."},
        Broken{"afterEnd", "{} {}", 1, 4, "json-syntax", "The document has ended, but { follows."},
        Broken{"leadingZero", "[007]", 1, 2, "json-syntax", "A number must not start with a superfluous 0."},
        Broken{"unit", "[80GB]", 1, 2, "json-syntax", "\"80G…\" is not a number."},
        Broken{"noFraction", "[5.]", 1, 4, "json-syntax", "A decimal point must be followed by a digit."},
        Broken{"plus", "[+5]", 1, 2, "json-syntax", "A number starts with a digit or a minus sign, but found +."},
        Broken{"badEscape", "[\"C:\\data\"]", 1, 5, "json-syntax", "A backslash in a text starts an escape, and this is none that JSON knows."},
        Broken{"halfPair", "[\"\\ud800\"]", 1, 3, "json-syntax", "A \\u escape names one half of a character pair."},
        Broken{"notUtf8", "[\"\xC3(\"]", 1, 3, "json-encoding", "A text contains a byte that is not UTF-8."},
        Broken{"utf16", "\xFF\xFE{", 1, 1, "json-encoding", "The file is encoded as UTF-16, not UTF-8."},
        // The column counts characters: ä and 模 are one each, though two and three bytes long.
        Broken{"characters", "[\"ä模\" x]", 1, 7, "json-syntax", "Expected a comma or ] after the value of a list, but found \"x\"."}),
    [](const auto& tested) { return tested.param.name; });

TEST(ParseJson, RefusesEndlessNesting) {
    Problems problems;
    EXPECT_FALSE(parseJson(std::string(100'000, '['), "deep.json", problems));
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems.front().code, "json-too-deep");
    EXPECT_EQ(problems.front().column, 101);
}

TEST(ParseJson, ToleratesAByteOrderMark) {
    Problems problems;
    const auto value = parseJson("\xEF\xBB\xBF{\"a\": 1}", "bom.json", problems);
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ((*value)["a"], 1);
    EXPECT_FALSE(parseJson("\xEF\xBB\xBF!", "bom.json", problems));
    EXPECT_EQ(problems.front().column, 1);
}

// Hugging Face's configs are written by Python, which has words for what JSON hasn't: they may stand in a model's config and nowhere else.
TEST(ParseJson, ReadsPythonsNumbersInAModelConfig) {
    Problems problems;
    const auto read = parseJsonText("{\"model\": {\"config\": {\"a\": [0.0, Infinity], \"b\": -Infinity, \"c\": NaN}}}", "", problems);
    ASSERT_TRUE(read) << toText(problems.front());
    const Json& config = read->at("model").at("config");
    EXPECT_EQ(config["a"][1], std::numeric_limits<double>::max());
    EXPECT_EQ(config["b"], std::numeric_limits<double>::lowest());
    EXPECT_TRUE(config["c"].is_null());
    EXPECT_FALSE(parseJsonText("{\"config\": {}, \"a\": Infinity}", "", problems));
}

TEST(ParseJson, KeepsKeyOrderAndExactNumbers) {
    Problems problems;
    const auto value = parseJson(R"({"z": 9007199254740993, "a": -5, "m": 0.1, "s": 1e-400, "e": 12e2})", "x.json", problems);
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ(value->dump(), R"({"z":9007199254740993,"a":-5,"m":0.1,"s":0.0,"e":1200.0})");
}

TEST(ParseJson, EscapesAndPairs) {
    Problems problems;
    const auto value = parseJson(R"(["\"\\\/\b\f\n\r\t", "\u00e9", "\ud83d\ude80"])", "x.json", problems);
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ((*value)[0], "\"\\/\b\f\n\r\t");
    EXPECT_EQ((*value)[1], "é");
    EXPECT_EQ((*value)[2], "🚀");
}

/// The library's parser as the judge: on any text ours accepts the same documents and reads the same values.
TEST(ParseJson, AgreesWithTheLibraryOnMutatedTexts) {
    const std::string seed = R"({"a": [1, -2.5e3, true, false, null, "x\n\u00e9ä"], "b": {"c": {}, "d": []}, "e": 0.25, "f": -0})";
    const std::string alphabet = "{}[]:,\"\\ \n0123456789.eE+-truefalsnx/u\xC3\xA4\x01";
    std::mt19937 random(20240607);
    const auto pick = [&](std::size_t size) { return std::uniform_int_distribution<std::size_t>(0, size - 1)(random); };
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = seed;
        const std::size_t edits = 1 + pick(3);
        for (std::size_t i = 0; i < edits; ++i) {
            const std::size_t place = pick(text.size());
            switch (pick(3)) {
            case 0: text.erase(place, 1 + pick(3)); break;
            case 1: text.insert(place, 1, alphabet[pick(alphabet.size())]); break;
            default: text[place] = alphabet[pick(alphabet.size())];
            }
        }
        Problems problems;
        const auto ours = parseJson(text, "x.json", problems);
        const Json theirs = Json::parse(text, nullptr, false);
        if (ours) {
            ++accepted;
            ASSERT_FALSE(theirs.is_discarded()) << text;
            ASSERT_EQ(ours->dump(), theirs.dump()) << text;
        } else {
            ASSERT_EQ(problems.size(), 1u);
            ASSERT_FALSE(problems.front().message.empty());
            ASSERT_FALSE(problems.front().mend.empty());
            ASSERT_GE(problems.front().line, 1);
            const bool stricter = problems.front().code == "json-duplicate-key";
            ASSERT_TRUE(stricter || theirs.is_discarded()) << text << "\n"
                                                           << toText(problems.front());
        }
    }
    EXPECT_GT(accepted, 1000); // or the mutations test nothing
}

} // namespace
} // namespace orrery
