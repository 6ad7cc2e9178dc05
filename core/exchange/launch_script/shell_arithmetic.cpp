// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/shell_expansion.hpp"

#include <cctype>
#include <charconv>

namespace orrery {

namespace {

constexpr int deepestBrackets = 50;

class Arithmetic {
public:
    Arithmetic(const std::string& text, const ShellVariables& variables) : text_(text), variables_(variables) {}

    std::optional<long long> value() {
        const auto result = sum(0);
        skip();
        return at_ == text_.size() ? result : std::nullopt;
    }

private:
    using Number = std::optional<long long>;

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    char peek() {
        skip();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    Number sum(int depth) {
        Number left = product(depth);
        while (left && (peek() == '+' || peek() == '-')) {
            const char op = text_[at_++];
            const Number right = product(depth);
            long long result = 0;
            if (!right) return right;
            const bool overflow = op == '+' ? __builtin_add_overflow(*left, *right, &result) : __builtin_sub_overflow(*left, *right, &result);
            if (overflow) return std::nullopt;
            left = result;
        }
        return left;
    }

    Number product(int depth) {
        Number left = factor(depth);
        while (left && (peek() == '*' || peek() == '/' || peek() == '%')) {
            const char op = text_[at_++];
            const Number right = factor(depth);
            if (!right) return right;
            long long result = 0;
            if (op == '*') {
                if (__builtin_mul_overflow(*left, *right, &result)) return std::nullopt;
            } else {
                if (*right == 0 || *right == -1) return std::nullopt; // -1 overflows for the least number, and nobody divides by it
                result = op == '/' ? *left / *right : *left % *right;
            }
            left = result;
        }
        return left;
    }

    Number factor(int depth) {
        if (depth > deepestBrackets) return std::nullopt;
        const char c = peek();
        if (c == '(') {
            ++at_;
            const Number inner = sum(depth + 1);
            if (peek() != ')') return std::nullopt;
            ++at_;
            return inner;
        }
        if (c == '-') {
            ++at_;
            const Number value = factor(depth + 1);
            if (!value || __builtin_sub_overflow(0LL, *value, &negated_)) return std::nullopt;
            return negated_;
        }
        if (std::isdigit(static_cast<unsigned char>(c))) return digits(text_, at_);
        if (c == '$') {
            ++at_;
            if (peek() == '{') ++at_;
        }
        return variable();
    }

    static Number digits(const std::string& text, std::size_t& at) {
        long long value = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        if (error != std::errc()) return std::nullopt;
        at = static_cast<std::size_t>(end - text.data());
        return value;
    }

    Number variable() {
        std::string name;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) name += text_[at_++];
        if (at_ < text_.size() && text_[at_] == '}') ++at_;
        const std::string value = variables_.text(name);
        std::size_t end = 0;
        const Number number = value.empty() ? std::nullopt : digits(value, end);
        return end == value.size() ? number : std::nullopt;
    }

    const std::string& text_;
    const ShellVariables& variables_;
    std::size_t at_ = 0;
    long long negated_ = 0;
};

} // namespace

std::optional<long long> shellArithmetic(const std::string& text, const ShellVariables& variables) {
    return Arithmetic(text, variables).value();
}

bool matchesShellPattern(const std::string& text, const std::string& pattern) {
    std::size_t t = 0, p = 0, star = std::string::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
            ++t, ++p;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

} // namespace orrery
