// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as one line of text.
#include "core/base/json.hpp"
#include "core/scenario/document/share_text.hpp"
#include "tests/core/answers/explore/explored.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

Json sharedScenario() {
    Json document = test::smallTraining();
    document["name"] = "Größe · 大きい \"quoted\"";
    document["variants"] = Json::parse(R"([{"name": "t 4", "edits": {"/parallelism/tensor": 4}}])");
    return document;
}

std::string whyNot(const std::string& text, std::size_t most = mostSharedBytes) {
    Problems problems;
    EXPECT_FALSE(documentFromShareText(text, problems, most)) << text.substr(0, 60);
    EXPECT_EQ(problems.size(), 1U);
    if (problems.empty()) return {};
    EXPECT_FALSE(problems.front().mend.empty());
    return problems.front().message;
}

TEST(ShareText, IsOneLineThatGivesTheSameBytesBack) {
    const Json document = sharedScenario();
    const std::string text = shareTextOf(document);
    EXPECT_TRUE(text.starts_with("orrery:"));
    EXPECT_TRUE(std::all_of(text.begin() + 7, text.end(), [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; }));
    Problems problems;
    const auto back = documentFromShareText(text, problems);
    ASSERT_TRUE(back);
    EXPECT_TRUE(problems.empty());
    EXPECT_EQ(back->dump(), document.dump());
}

TEST(ShareText, EveryLengthComesBack) {
    for (int length = 0; length < 64; ++length) {
        const Json document{{"notes", std::string(static_cast<std::size_t>(length), 'x')}};
        Problems problems;
        const auto back = documentFromShareText(shareTextOf(document), problems);
        ASSERT_TRUE(back) << length;
        EXPECT_EQ(*back, document);
    }
}

TEST(ShareText, SurvivesWhatChatsDoToIt) {
    std::string text = shareTextOf(sharedScenario());
    for (std::size_t at = 40; at < text.size(); at += 41) text.insert(at, "\n");
    Problems problems;
    const auto back = documentFromShareText("  " + text + " \r\n", problems);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, sharedScenario());
}

TEST(ShareText, BadTextIsToldApart) {
    const std::string text = shareTextOf(sharedScenario());
    EXPECT_NE(whyNot("https://example.org").find("does not begin with"), std::string::npos);
    EXPECT_NE(whyNot("orrery:").find("empty"), std::string::npos);
    EXPECT_NE(whyNot(text + "!").find("\"!\""), std::string::npos);
    EXPECT_NE(whyNot(text.substr(0, text.size() / 2)).find("breaks off"), std::string::npos);
    std::string damaged = text;
    damaged.replace(20, 8, "AAAAAAAA");
    EXPECT_NE(whyNot(damaged).find("damaged"), std::string::npos);
    EXPECT_NE(whyNot(shareTextOf(Json::array({1, 2}))).find("no scenario"), std::string::npos);
}

TEST(ShareText, ABombIsRefusedByItsStatedLimit) {
    const std::string bomb = shareTextOf(Json{{"notes", std::string(17 << 20, 'x')}});
    EXPECT_LT(bomb.size(), std::size_t{1} << 20);
    EXPECT_NE(whyNot(bomb).find("more than 16 MiB"), std::string::npos);
}

} // namespace
} // namespace orrery
