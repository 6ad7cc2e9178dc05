// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/study/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace orrery {
namespace {

/// Deeper nesting is no formula; it would only exhaust the stack.
constexpr int deepest = 100;

/// Recursive descent: sum → product → sign → power → atom.
class Reader {
public:
    Reader(std::string_view text, const NameLookup& lookup) : text_(text), lookup_(lookup) {}

    double whole() {
        const double value = sum();
        if (peek() != '\0') fail("\"" + std::string(text_.substr(at_)) + "\" is left over");
        return value;
    }

private:
    struct Depth {
        explicit Depth(Reader& reader) : reader_(reader) {
            if (++reader_.depth_ > deepest) reader_.fail("it is nested too deeply");
        }
        ~Depth() { --reader_.depth_; }
        Reader& reader_;
    };

    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument("In \"" + std::string(text_) + "\" " + what + ".");
    }

    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    double sum() {
        const Depth depth(*this);
        double value = product();
        while (true) {
            if (take('+')) value += product();
            else if (take('-')) value -= product();
            else return value;
        }
    }

    double product() {
        double value = sign();
        while (true) {
            if (take('*')) value *= sign();
            else if (take('/')) value /= sign();
            else return value;
        }
    }

    double sign() {
        const Depth depth(*this);
        return take('-') ? -sign() : power();
    }

    double power() {
        const double base = atom();
        return take('^') ? std::pow(base, sign()) : base;
    }

    double atom() {
        if (take('(')) {
            const double value = sum();
            if (!take(')')) fail("a parenthesis is not closed");
            return value;
        }
        const char next = peek();
        if (std::isdigit(static_cast<unsigned char>(next)) || next == '.') return number();
        if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') return name();
        if (next == '\0') fail("something is missing at the end");
        fail("\"" + std::string(1, next) + "\" stands where a number or a name belongs");
    }

    double number() {
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) fail("a number can't be read");
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    double name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (peek() == '(') return call(word);
        const std::optional<double> value = lookup_ ? lookup_(word) : std::nullopt;
        if (!value) fail("\"" + std::string(word) + "\" is no known quantity");
        return *value;
    }

    double call(std::string_view function) {
        take('(');
        std::vector<double> values{sum()};
        while (take(',')) values.push_back(sum());
        if (!take(')')) fail("a parenthesis is not closed");
        if (function == "min") return *std::min_element(values.begin(), values.end());
        if (function == "max") return *std::max_element(values.begin(), values.end());
        fail("\"" + std::string(function) + "\" is no known function; there are min and max");
    }

    std::string_view text_;
    const NameLookup& lookup_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

ExpressionValue evaluate(std::string_view expression, const NameLookup& lookup) {
    try {
        const double value = Reader(expression, lookup).whole();
        if (!std::isfinite(value)) return {std::nullopt, "\"" + std::string(expression) + "\" is no finite number here."};
        return {value, {}};
    } catch (const std::invalid_argument& fault) {
        return {std::nullopt, fault.what()};
    }
}

} // namespace orrery
