// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/model/recorded/readers.hpp"

#include <charconv>

namespace orrery {
namespace {

class LiteralReader {
public:
    explicit LiteralReader(std::string_view text) : rest_(text) {}

    bool whole(Json& value) {
        if (!read(value, 0)) return false;
        skip();
        return rest_.empty();
    }

private:
    void skip() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t' || rest_.front() == '\r'))
            rest_.remove_prefix(1);
    }
    bool accept(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    bool read(Json& value, int depth) {
        skip();
        if (rest_.empty() || depth > deepestJson) return false;
        const char first = rest_.front();
        if (first == '[' || first == '(') return readList(value, first == '[' ? ']' : ')', depth);
        if (first == '\'' || first == '"') return readText(value, first);
        for (const std::string_view word : {"True", "true"})
            if (accept(word)) return (value = true, true);
        for (const std::string_view word : {"False", "false"})
            if (accept(word)) return (value = false, true);
        for (const std::string_view word : {"None", "null", "nan", "NaN"})
            if (accept(word)) return (value = nullptr, true);
        return readNumber(value);
    }

    bool readList(Json& value, char end, int depth) {
        rest_.remove_prefix(1);
        value = Json::array();
        while (true) {
            skip();
            if (rest_.empty()) return false;
            if (rest_.front() == end) break;
            Json element;
            if (!read(element, depth + 1)) return false;
            value.push_back(std::move(element));
            skip();
            if (!accept(",") && (rest_.empty() || rest_.front() != end)) return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    bool readText(Json& value, char quote) {
        std::string text;
        rest_.remove_prefix(1);
        while (!rest_.empty() && rest_.front() != quote) {
            if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
            text += rest_.front();
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return false;
        rest_.remove_prefix(1);
        value = std::move(text);
        return true;
    }

    bool readNumber(Json& value) {
        const std::size_t end = std::min(rest_.find_first_not_of("+-0123456789.eEinf"), rest_.size());
        const std::string_view digits = rest_.substr(0, end);
        std::int64_t whole = 0;
        double number = 0;
        const auto parsed = [&](auto& target) {
            const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), target);
            return problem == std::errc{} && stop == digits.data() + digits.size();
        };
        if (parsed(whole)) value = whole;
        else if (parsed(number)) value = number;
        else return false;
        rest_.remove_prefix(end);
        return true;
    }

    std::string_view rest_;
};

} // namespace

Json readLiteral(std::string_view text) {
    Json value;
    return LiteralReader(text).whole(value) ? value : Json();
}

} // namespace orrery
