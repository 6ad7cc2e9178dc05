// SPDX-License-Identifier: GPL-3.0-or-later
// The quick walk through JSON against the full parser: it tells the same, and never takes what that refuses.
#include "core/base/json.hpp"
#include "core/records/traces/plain_json.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {
namespace {

/// What is told, as one text; numbers by their value, for a parser gives them so.
class PlainTeller {
public:
    bool beginObject() { return tell("{"); }
    bool endObject(const char*) { return tell("}"); }
    bool beginArray() { return tell("["); }
    bool endArray() { return tell("]"); }
    bool member(std::string_view name) { return tell("key " + std::string(name)); }
    bool value(std::string_view text, bool isText, bool) { return tell((isText ? "text " : "bare ") + (isText ? std::string(text) : bare(text))); }
    std::string told;

private:
    static std::string bare(std::string_view text) { return text.empty() ? "null" : Json::parse(text).dump(); }
    bool tell(const std::string& what) {
        told += what + '\n';
        return true;
    }
};

class FullTeller : public nlohmann::json_sax<Json> {
public:
    bool null() override { return tell("bare null"); }
    bool boolean(bool value) override { return tell(value ? "bare true" : "bare false"); }
    bool number_integer(number_integer_t value) override { return tell("bare " + Json(value).dump()); }
    bool number_unsigned(number_unsigned_t value) override { return tell("bare " + Json(value).dump()); }
    bool number_float(number_float_t value, const string_t&) override { return tell("bare " + Json(value).dump()); }
    bool string(string_t& text) override { return tell("text " + text); }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return tell("{"); }
    bool end_object() override { return tell("}"); }
    bool start_array(std::size_t) override { return tell("["); }
    bool end_array() override { return tell("]"); }
    bool key(string_t& name) override { return tell("key " + name); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
    std::string told;

private:
    bool tell(const std::string& what) {
        told += what + '\n';
        return true;
    }
};

struct Reading {
    bool whole = false;
    std::string told;
};
Reading plainly(const std::string& text) {
    PlainTeller teller;
    const bool whole = PlainJson<PlainTeller>(text, teller).walk();
    return {whole, teller.told};
}
Reading fully(const std::string& text) {
    FullTeller teller;
    const bool whole = Json::sax_parse(text, &teller);
    return {whole, teller.told};
}

class AnyJson {
public:
    explicit AnyJson(unsigned seed) : random_(seed) {}
    std::string value(int depth) {
        switch (std::uniform_int_distribution<int>(0, depth > 0 ? 7 : 5)(random_)) {
        case 0: return "null";
        case 1: return pick({"true", "false"});
        case 2: return std::to_string(std::uniform_int_distribution<int>(-3000, 3000)(random_));
        case 3: return pick({"0", "-0", "0.5", "-12.25", "1e5", "2.5E-3", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "1234567.875"});
        case 4:
        case 5: return text();
        case 6: return list(depth);
        default: return object(depth);
        }
    }

private:
    std::string pick(const std::vector<std::string>& from) { return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random_)]; }
    std::string blank() { return pick({"", "", "", " ", "\n", "\t ", "\r\n"}); }
    std::string text() {
        std::string made = "\"";
        for (int i = std::uniform_int_distribution<int>(0, 6)(random_); i > 0; --i)
            made += pick({"a", "kernel<4>", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\u0000", "é", "日本", "😀", "{", "]", ","});
        return made + "\"";
    }
    std::string list(int depth) {
        std::string made = "[" + blank();
        const int count = std::uniform_int_distribution<int>(0, 4)(random_);
        for (int i = 0; i < count; ++i) made += (i > 0 ? "," : "") + blank() + value(depth - 1) + blank();
        return made + "]";
    }
    std::string object(int depth) {
        std::string made = "{" + blank();
        const int count = std::uniform_int_distribution<int>(0, 4)(random_);
        for (int i = 0; i < count; ++i) made += (i > 0 ? "," : "") + blank() + text() + blank() + ":" + blank() + value(depth - 1) + blank();
        return made + "}";
    }
    std::mt19937 random_;
};

TEST(PlainJson, TellsWhatTheFullParserTells) {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        const std::string text = (seed % 5 == 0 ? "\xEF\xBB\xBF" : "") + AnyJson(seed).value(4) + (seed % 3 == 0 ? "\n" : "");
        const Reading full = fully(text), plain = plainly(text);
        ASSERT_TRUE(full.whole) << text;
        ASSERT_TRUE(plain.whole) << text;
        ASSERT_EQ(plain.told, full.told) << text;
    }
}

TEST(PlainJson, TakesNothingThatTheFullParserRefuses) {
    std::mt19937 random(7);
    int broken = 0;
    for (unsigned seed = 0; seed < 20000; ++seed) {
        std::string text = AnyJson(seed).value(3);
        for (int changes = 1 + static_cast<int>(seed % 3); changes > 0 && !text.empty(); --changes) {
            const std::size_t at = std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
            static const std::string odd = "\"\\{}[],:0123456789-+.eEtfnu \n\x01\x80\xC0\xED\xF4\xFF";
            const char byte = odd[std::uniform_int_distribution<std::size_t>(0, odd.size() - 1)(random)];
            switch (std::uniform_int_distribution<int>(0, 2)(random)) {
            case 0: text[at] = byte; break;
            case 1: text.erase(at, 1); break;
            default: text.insert(at, 1, byte); break;
            }
        }
        const Reading full = fully(text), plain = plainly(text);
        broken += full.whole ? 0 : 1;
        if (!plain.whole) continue;
        ASSERT_TRUE(full.whole) << text;
        ASSERT_EQ(plain.told, full.told) << text;
    }
    EXPECT_GT(broken, 5000);
}

TEST(PlainJson, LeavesNumbersBeyondAnyToTheFullParser) {
    for (const char* text : {"1e999", "-1e400", "[1e1000]"}) {
        EXPECT_FALSE(fully(text).whole) << text;
        EXPECT_FALSE(plainly(text).whole) << text;
    }
    EXPECT_FALSE(plainly("").whole);
    EXPECT_FALSE(plainly("{\"a\":1,}").whole);
    EXPECT_FALSE(plainly("[1 2]").whole);
    EXPECT_FALSE(plainly("{} {}").whole);
    EXPECT_FALSE(plainly("\"\\ud800\"").whole);
    EXPECT_FALSE(plainly("01").whole);
}

} // namespace
} // namespace orrery
