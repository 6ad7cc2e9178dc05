// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_parser.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <utility>

namespace orrery {
namespace {

/// The first mistake; thrown inside this file only.
struct Mistake {
    std::size_t at; ///< byte offset
    std::string code;
    std::string message;
    std::string mend;
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }

/// Under this key stands what another program wrote, a Hugging Face config.json.
constexpr std::string_view modelConfigKey = "config";

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Json document() {
        if (startsWith("\xEF\xBB\xBF")) at_ = 3;
        if (startsWith("\xFF\xFE") || startsWith("\xFE\xFF"))
            fail("json-encoding", "The file is encoded as UTF-16, not UTF-8.", "Save it again with the encoding UTF-8.");
        skipSpace();
        if (atEnd()) fail("json-empty", "The file is empty.", "A scenario starts with { and ends with }.");
        Json value = parseValue(0);
        skipSpace();
        if (!atEnd())
            fail("json-syntax", "The document has ended, but " + found() + " follows.",
                 "Remove what follows, or the closing bracket that ended the document too early.");
        return value;
    }

private:
    [[noreturn]] void failAt(std::size_t at, std::string code, std::string message, std::string mend) const {
        throw Mistake{at, std::move(code), std::move(message), std::move(mend)};
    }
    [[noreturn]] void fail(std::string code, std::string message, std::string mend) const {
        failAt(at_, std::move(code), std::move(message), std::move(mend));
    }

    bool atEnd() const { return at_ >= text_.size(); }
    char peek() const { return atEnd() ? '\0' : text_[at_]; }
    bool startsWith(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    void skipSpace() {
        while (!atEnd() && isSpace(text_[at_])) ++at_;
    }

    /// What stands at the cursor, for a message: a whole word, or one character.
    std::string found() const {
        if (atEnd()) return "the end of the file";
        std::size_t end = at_;
        while (end < text_.size() && end - at_ < 24 && (isWordLetter(text_[end]) || isDigit(text_[end]))) ++end;
        if (end > at_) return "\"" + std::string(text_.substr(at_, end - at_)) + "\"";
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if (byte == '"') return "a quotation mark";
        if (byte < 0x20 || byte == 0x7F) return "a control character (code " + std::to_string(byte) + ")";
        const std::size_t length = utf8SequenceLength(text_, at_);
        if (length == 0) return "a byte that is not UTF-8";
        return std::string(text_.substr(at_, length));
    }

    Json parseValue(int depth) {
        switch (peek()) {
        case '{': return parseObject(depth);
        case '[': return parseArray(depth);
        case '"': return Json(parseString());
        default: break;
        }
        if (inModelConfig_ > 0) {
            // Python's json writes these; configs have them for "no limit".
            for (const auto& [word, value] : {std::pair<std::string_view, double>{"-Infinity", std::numeric_limits<double>::lowest()}, {"Infinity", std::numeric_limits<double>::max()}})
                if (startsWith(word)) return at_ += word.size(), Json(value);
            if (startsWith("NaN")) return at_ += 3, Json(nullptr);
        }
        if (isDigit(peek()) || peek() == '-') return parseNumber();
        return parseWord();
    }

    Json parseObject(int depth) {
        enter(depth);
        const std::size_t opening = at_++;
        Json object = Json::object();
        std::unordered_set<std::string> keys; // the ordered object would search its keys one by one
        skipSpace();
        if (peek() == '}') return ++at_, object;
        while (true) {
            skipSpace();
            if (atEnd()) failUnclosed(opening, '}');
            if (peek() == '}')
                fail("json-syntax", "A comma must be followed by another key, but the object ends here.",
                     "Remove the comma before }.");
            refuseComment();
            if (peek() != '"')
                fail("json-syntax", "Expected a key in double quotes, but found " + found() + ".",
                     "Write keys as \"key\": value.");
            const std::size_t keyAt = at_;
            std::string key = parseString();
            if (!keys.insert(key).second)
                failAt(keyAt, "json-duplicate-key", "The key \"" + key + "\" appears twice in the same object.",
                       "Keep one of the two.");
            skipSpace();
            if (peek() != ':')
                fail("json-syntax", "Expected a colon after the key \"" + key + "\", but found " + found() + ".",
                     "Write \"" + key + "\": value.");
            ++at_;
            skipSpace();
            const bool config = key == modelConfigKey;
            inModelConfig_ += config;
            object.get_ref<Json::object_t&>().emplace_back(key, parseValue(depth + 1)); // emplace() would search again
            inModelConfig_ -= config;
            skipSpace();
            if (peek() == '}') return ++at_, object;
            if (atEnd()) failUnclosed(opening, '}');
            refuseComment();
            if (peek() != ',')
                fail("json-syntax", "Expected a comma or } after the value of \"" + key + "\", but found " + found() + ".",
                     peek() == ']' ? "Close the object with } first." : "Put a comma between the entries.");
            ++at_;
        }
    }

    Json parseArray(int depth) {
        enter(depth);
        const std::size_t opening = at_++;
        Json array = Json::array();
        skipSpace();
        if (peek() == ']') return ++at_, array;
        while (true) {
            skipSpace();
            if (atEnd()) failUnclosed(opening, ']');
            if (peek() == ']')
                fail("json-syntax", "A comma must be followed by another value, but the list ends here.",
                     "Remove the comma before ].");
            array.push_back(parseValue(depth + 1));
            skipSpace();
            if (peek() == ']') return ++at_, array;
            if (atEnd()) failUnclosed(opening, ']');
            refuseComment();
            if (peek() != ',')
                fail("json-syntax", "Expected a comma or ] after the value of a list, but found " + found() + ".",
                     peek() == '}' ? "Close the list with ] first." : "Put a comma between the values.");
            ++at_;
        }
    }

    void enter(int depth) const {
        if (depth >= deepestJson)
            fail("json-too-deep", "Brackets are nested more than " + std::to_string(deepestJson) + " deep.",
                 "A scenario needs fewer than 10 levels; remove the surplus brackets.");
    }

    [[noreturn]] void failUnclosed(std::size_t opening, char closing) const {
        const TextPlace place = placeAt(text_, opening);
        fail("json-syntax",
             std::string("The file ends before the ") + text_[opening] + " of line " + std::to_string(place.line) + ", column " +
                 std::to_string(place.column) + " is closed.",
             std::string("Add the missing ") + closing + ".");
    }

    void refuseComment() const {
        if (peek() == '/' || peek() == '#')
            fail("json-syntax", "JSON has no comments.", "Remove the comment; free text can go into \"notes\".");
    }

    std::string parseString() {
        const std::size_t opening = at_++;
        std::string value;
        while (true) {
            if (atEnd() || peek() == '\n' || peek() == '\r')
                failAt(opening, "json-syntax", "The text that starts here has no closing quotation mark on its line.",
                       "Close it with \"; a line break inside a text is written \\n.");
            const auto byte = static_cast<unsigned char>(text_[at_]);
            if (byte == '"') return ++at_, value;
            if (byte == '\\') {
                parseEscape(value);
            } else if (byte < 0x20) {
                fail("json-syntax", "A text contains " + found() + ".", "Write it as an escape: \\t for a tabulator, \\u00XX otherwise.");
            } else {
                const std::size_t length = utf8SequenceLength(text_, at_);
                if (length == 0)
                    fail("json-encoding", "A text contains a byte that is not UTF-8.", "Save the file again with the encoding UTF-8.");
                value.append(text_.substr(at_, length));
                at_ += length;
            }
        }
    }

    void parseEscape(std::string& value) {
        const std::size_t start = at_++;
        const char kind = peek();
        ++at_;
        switch (kind) {
        case '"': value += '"'; return;
        case '\\': value += '\\'; return;
        case '/': value += '/'; return;
        case 'b': value += '\b'; return;
        case 'f': value += '\f'; return;
        case 'n': value += '\n'; return;
        case 'r': value += '\r'; return;
        case 't': value += '\t'; return;
        case 'u': break;
        default:
            failAt(start, "json-syntax", "A backslash in a text starts an escape, and this is none that JSON knows.",
                   "Write \\\\ for a backslash itself.");
        }
        std::uint32_t code = parseHex(start);
        const bool high = code >= 0xD800 && code < 0xDC00;
        if (high && startsWith("\\u")) {
            at_ += 2;
            const std::uint32_t low = parseHex(start);
            if (low < 0xDC00 || low > 0xDFFF) failSurrogate(start);
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xD800 && code <= 0xDFFF) {
            failSurrogate(start);
        }
        appendUtf8(value, code);
    }

    [[noreturn]] void failSurrogate(std::size_t start) const {
        failAt(start, "json-syntax", "A \\u escape names one half of a character pair.", "Write the character itself, or both halves.");
    }

    std::uint32_t parseHex(std::size_t start) {
        std::uint32_t code = 0;
        const char* const first = text_.data() + at_;
        const char* const last = first + std::min<std::size_t>(4, text_.size() - std::min(at_, text_.size()));
        const auto parsed = std::from_chars(first, last, code, 16);
        if (parsed.ec != std::errc{} || parsed.ptr != first + 4)
            failAt(start, "json-syntax", "A \\u escape needs four hexadecimal digits.", "Write \\u00e9, for example, or the character itself.");
        at_ += 4;
        return code;
    }

    Json parseNumber() {
        const std::size_t start = at_;
        if (peek() == '-') {
            ++at_;
            if (!isDigit(peek())) {
                if (isWordLetter(peek())) failWord(start, wordFrom(at_));
                fail("json-syntax", "A minus sign must be followed by a digit, but found " + found() + ".", "Write -1, for example.");
            }
        }
        if (peek() == '0' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]))
            failAt(start, "json-syntax", "A number must not start with a superfluous 0.", "Remove the leading zeros.");
        bool whole = true;
        skipDigits();
        if (peek() == '.') {
            whole = false;
            ++at_;
            if (!isDigit(peek())) fail("json-syntax", "A decimal point must be followed by a digit.", "Write 0.5, not 5. or .5.");
            skipDigits();
        }
        if (peek() == 'e' || peek() == 'E') {
            whole = false;
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!isDigit(peek())) fail("json-syntax", "The exponent of a number has no digits.", "Write 1e9, for example.");
            skipDigits();
        }
        if (isWordLetter(peek()) || peek() == '.')
            failAt(start, "json-syntax", "\"" + std::string(text_.substr(start, at_ - start + 1)) + "…\" is not a number.",
                   "Numbers have no unit and one decimal point; texts stand in double quotes.");
        const std::string_view digits = text_.substr(start, at_ - start);
        const char* const end = digits.data() + digits.size();
        if (whole) {
            if (digits.front() == '-') {
                std::int64_t value = 0;
                if (std::from_chars(digits.data(), end, value).ec == std::errc{}) return Json(value);
            } else {
                std::uint64_t value = 0;
                if (std::from_chars(digits.data(), end, value).ec == std::errc{}) return Json(value);
            }
        }
        double value = 0;
        if (std::from_chars(digits.data(), end, value).ec == std::errc::result_out_of_range) {
            // Too small for a double reads as zero, as everywhere; too large is no number we could calculate with.
            if (magnitudeIsSmall(digits)) return Json(0.0);
            failAt(start, "json-number-range", "The number " + std::string(digits.substr(0, 40)) + " is larger than any that can be calculated with.",
                   "Write a number below 1.8e308.");
        }
        return Json(value);
    }

    void skipDigits() {
        while (isDigit(peek())) ++at_;
    }

    /// For a number outside a double's range: whether it lies near zero. Compares its decimal exponent with zero.
    static bool magnitudeIsSmall(std::string_view digits) {
        if (digits.front() == '-') digits.remove_prefix(1);
        const std::size_t e = digits.find_first_of("eE");
        const std::string_view mantissa = digits.substr(0, e);
        long long exponent = 0;
        if (e != std::string_view::npos) {
            std::string_view text = digits.substr(e + 1);
            if (text.front() == '+') text.remove_prefix(1);
            if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec != std::errc{})
                return text.front() == '-';
        }
        const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
        const std::size_t significant = mantissa.find_first_of("123456789");
        if (significant == std::string_view::npos) return true;
        const auto lead = static_cast<long long>(point) - static_cast<long long>(significant);
        return exponent + lead < 0;
    }

    std::string wordFrom(std::size_t start) const {
        std::size_t end = start;
        while (end < text_.size() && (isWordLetter(text_[end]) || isDigit(text_[end]))) ++end;
        return std::string(text_.substr(start, end - start));
    }

    Json parseWord() {
        const std::string word = wordFrom(at_);
        const std::size_t start = at_;
        at_ += word.size();
        if (word == "true") return Json(true);
        if (word == "false") return Json(false);
        if (word == "null") return Json(nullptr);
        at_ = start;
        failWord(start, word);
    }

    [[noreturn]] void failWord(std::size_t start, const std::string& word) const {
        const auto same = [&](std::string_view other) {
            return word.size() == other.size() && std::equal(word.begin(), word.end(), other.begin(), [](char a, char b) {
                       return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
                   });
        };
        if (same("nan") || same("infinity") || same("inf"))
            failAt(start, "json-not-a-number", "\"" + word + "\" is not a number that can be calculated with.", "Write a finite number.");
        for (const char* right : {"true", "false", "null"})
            if (same(right)) failAt(start, "json-syntax", "\"" + word + "\" must be in lower case.", std::string("Write ") + right + ".");
        refuseComment();
        if (peek() == '\'')
            failAt(start, "json-syntax", "JSON texts stand in double quotes, not single ones.", "Replace ' by \".");
        if (peek() == '+' || peek() == '.')
            failAt(start, "json-syntax", "A number starts with a digit or a minus sign, but found " + found() + ".",
                   "Write 0.5, not .5, and no plus sign.");
        if (!word.empty())
            failAt(start, "json-syntax", "Expected a value, but found " + found() + ".",
                   "Put double quotes around a text; the words without quotes are true, false and null.");
        fail("json-syntax", "Expected a value, but found " + found() + ".",
             "A value is a number, a \"text\", true, false, null, [ or {.");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int inModelConfig_ = 0; ///< how deep: more than 0 inside one
};

} // namespace

std::optional<Json> parseJsonText(std::string_view text, const std::string& fileName, Problems& problems) {
    try {
        return Parser(text).document();
    } catch (const Mistake& mistake) {
        const TextPlace place = placeAt(text, mistake.at);
        Problem problem;
        problem.code = mistake.code;
        problem.file = fileName;
        problem.line = place.line;
        problem.column = place.column;
        problem.message = mistake.message;
        problem.mend = mistake.mend;
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
}

} // namespace orrery
