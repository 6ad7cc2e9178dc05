// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/lessons/lesson_clause.hpp"

#include "core/base/json.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace orrery {
namespace {

constexpr std::string_view plusMinus = "±";
constexpr int deepestClause = 100; ///< nested parentheses; deeper ones would only exhaust the stack
constexpr double rounding = 1e-12; ///< of a tolerance

/// Recursive descent: clause → sum → product → operand.
class ClauseReader {
public:
    ClauseReader(std::string_view text, const LessonLookup& lookup) : text_(text), lookup_(lookup) {}

    ClauseVerdict clause() {
        ClauseVerdict verdict;
        verdict.value = sum();
        skip();
        std::size_t end = at_;
        while (end > 0 && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
        verdict.left = text_.substr(0, end);
        const std::string_view comparison = takeComparison();
        verdict.expected = sum();
        std::optional<double> tolerance;
        bool percent = false;
        if (takeWord(plusMinus)) {
            tolerance = number();
            percent = takeWord("%");
        }
        atEnd();
        verdict.asksAnswer = asksAnswer_;
        verdict.passed = compare(verdict.value, comparison, verdict.expected, tolerance, percent);
        return verdict;
    }

    LessonValue expression() {
        LessonValue value = sum();
        atEnd();
        return value;
    }

    const std::vector<std::string>& terms() const { return terms_; }

private:
    [[noreturn]] void fail(const std::string& what) const { throw std::invalid_argument("In \"" + std::string(text_) + "\" " + what + "."); }

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    char peek() {
        skip();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool takeWord(std::string_view word) {
        skip();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    void atEnd() {
        if (peek() != '\0') fail("\"" + std::string(text_.substr(at_)) + "\" is left over");
    }

    std::string_view takeComparison() {
        for (const std::string_view sign : {"<=", ">=", "!=", "<", ">", "="})
            if (takeWord(sign)) return sign;
        fail("a comparison is missing (=, !=, <, <=, > or >=)");
    }

    LessonValue sum() {
        LessonValue value = product();
        while (true) {
            const char sign = peek();
            if (sign != '+' && sign != '-') return value;
            ++at_;
            value = combined(value, sign, product());
        }
    }

    LessonValue product() {
        LessonValue value = operand();
        while (true) {
            const char sign = peek();
            if (sign != '*' && sign != '/') return value;
            ++at_;
            value = combined(value, sign, operand());
        }
    }

    static LessonValue combined(const LessonValue& a, char sign, const LessonValue& b) {
        const double* left = std::get_if<double>(&a);
        const double* right = std::get_if<double>(&b);
        if (!left || !right) return {};
        const double value = sign == '+' ? *left + *right : sign == '-' ? *left - *right
                                                        : sign == '*'   ? *left * *right
                                                                        : *left / *right;
        return std::isfinite(value) ? LessonValue(value) : LessonValue();
    }

    LessonValue operand() {
        const char next = peek();
        if (next == '(') {
            if (++depth_ > deepestClause) fail("it is nested too deeply");
            ++at_;
            LessonValue value = sum();
            if (!takeWord(")")) fail("a parenthesis is not closed");
            --depth_;
            return value;
        }
        if (next == '-') {
            ++at_;
            return combined(0.0, '-', operand());
        }
        if (next == '\'') return quoted();
        if (next == '{') return term();
        if (next == '/') return lookup_.result(pointer());
        if (takeWord("scenario:")) {
            if (peek() != '/') fail("a pointer is missing behind scenario:");
            return lookup_.scenario(pointer());
        }
        if (takeWord("true")) return true;
        if (takeWord("false")) return false;
        if (takeWord("answer")) {
            asksAnswer_ = true;
            return lookup_.answer;
        }
        return number();
    }

    double number() {
        skip();
        double value = 0;
        const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (fault != std::errc() || !std::isfinite(value)) fail(at_ < text_.size() ? "\"" + std::string(text_.substr(at_)) + "\" is no number, pointer or name" : "an operand is missing");
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    LessonValue quoted() {
        const std::size_t end = text_.find('\'', at_ + 1);
        if (end == std::string_view::npos) fail("a text is not closed");
        std::string text(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return text;
    }

    LessonValue term() {
        const std::size_t end = text_.find('}', at_);
        if (end == std::string_view::npos) fail("a brace is not closed");
        terms_.emplace_back(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return lookup_.term(terms_.back());
    }

    std::string pointer() {
        const std::size_t start = at_;
        const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_/.=,-").find(c) != std::string_view::npos; };
        while (at_ < text_.size() && belongs(text_[at_])) ++at_;
        if (at_ < start + 2 || !std::isalpha(static_cast<unsigned char>(text_[start + 1]))) fail("\"" + std::string(text_.substr(start)) + "\" is no pointer");
        return std::string(text_.substr(start, at_ - start));
    }

    static bool compare(const LessonValue& a, std::string_view sign, const LessonValue& b, std::optional<double> tolerance, bool percent) {
        if (a.index() != b.index() || std::holds_alternative<std::monostate>(a)) return false;
        if (const double* left = std::get_if<double>(&a)) {
            const double right = std::get<double>(b);
            if (tolerance && sign == "=") return std::abs(*left - right) <= *tolerance * (percent ? std::abs(right) / 100 : 1) * (1 + rounding);
            if (sign == "<") return *left < right;
            if (sign == "<=") return *left <= right;
            if (sign == ">") return *left > right;
            if (sign == ">=") return *left >= right;
        }
        return sign == "=" ? a == b : sign == "!=" && a != b;
    }

    std::string_view text_;
    const LessonLookup& lookup_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool asksAnswer_ = false;
    std::vector<std::string> terms_;
};

/// Stands in for names where a text is checked alone.
LessonLookup withoutValues() {
    const auto nothing = [](const std::string&) { return LessonValue(); };
    return {nothing, nothing, nothing, {}};
}

} // namespace

ClauseVerdict judgeClause(const std::string& clause, const LessonLookup& lookup) { return ClauseReader(clause, lookup).clause(); }

LessonValue valueOf(const std::string& expression, const LessonLookup& lookup) { return ClauseReader(expression, lookup).expression(); }

std::string faultOfClause(const std::string& clause) {
    try {
        judgeClause(clause, withoutValues());
        return {};
    } catch (const std::invalid_argument& fault) {
        return fault.what();
    }
}

std::vector<std::string> termsOfClause(const std::string& clause) {
    const LessonLookup lookup = withoutValues();
    ClauseReader reader(clause, lookup);
    try {
        reader.clause();
    } catch (const std::invalid_argument&) {
        return {};
    }
    return reader.terms();
}

LessonValue lessonValue(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) return value.get<std::string>();
    return {};
}

} // namespace orrery
