// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/value_list.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

constexpr std::string_view logarithmic = "log:";
/// Ends of steps that rounding moved count as reached.
constexpr double roundingOfSteps = 1e-9;
constexpr double mostWhole = 9e15; ///< whole numbers that a double holds exactly

void addValueProblem(Problems& problems, const std::string& text, const std::string& message) {
    Problem problem;
    problem.code = "not-values";
    problem.message = "\"" + shortened(text, 80) + "\": " + message;
    problem.mend = "Write values as 1,2,4 or 1..8 or 1..8:2 or log:1..64:7.";
    problems.push_back(std::move(problem));
}

std::optional<double> numberIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool isWhole(double value) { return std::round(value) == value && std::abs(value) < mostWhole; }

Json numberOf(double value) {
    if (isWhole(value)) return static_cast<std::int64_t>(value);
    return value;
}

/// Steps of 0.1 lead to 0.30000000000000004, which nobody means: as many digits as a person writes.
double asWritten(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 12).ptr;
    std::from_chars(digits.data(), end, value);
    return value;
}

/// `A..B` and what follows a colon.
struct RangeText {
    double low = 0, high = 0;
    std::optional<double> after;
};

/// Nothing where a text is no range; words may hold dots.
std::optional<RangeText> rangeIn(std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const std::size_t colon = text.find(':', dots);
    const auto low = numberIn(text.substr(0, dots));
    const auto high = numberIn(text.substr(dots + 2, colon == std::string_view::npos ? colon : colon - dots - 2));
    if (!low || !high) return std::nullopt;
    RangeText range{*low, *high, std::nullopt};
    if (colon == std::string_view::npos) return range;
    range.after = numberIn(text.substr(colon + 1));
    return range.after ? std::optional(range) : std::nullopt;
}

/// At commas outside brackets and quotes.
std::vector<std::string> itemsOf(const std::string& text) {
    std::vector<std::string> items(1);
    int depth = 0;
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (!quoted) depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c == ',' && depth == 0 && !quoted) items.emplace_back();
        else items.back() += c;
    }
    return items;
}

class ValueParser {
public:
    ValueParser(std::size_t most, Problems& problems) : most_(most), problems_(problems) {}

    bool add(const std::string& item) {
        if (item.starts_with(logarithmic)) return addLogarithmic(item);
        if (const auto range = rangeIn(item)) return addSteps(item, *range);
        if (item.empty()) return fail(item, "a value is missing between commas.");
        const Json value = Json::parse(item, nullptr, false);
        return take(item, value.is_discarded() ? Json(item) : value);
    }

    std::vector<BoxedJson> takeValues() { return std::move(values_); }

private:
    bool addLogarithmic(const std::string& item) {
        const auto range = rangeIn(std::string_view(item).substr(logarithmic.size()));
        if (!range || !range->after) return fail(item, "a logarithmic range needs both ends and how many values it has.");
        if (!(range->low > 0) || !(range->high > 0)) return fail(item, "a logarithm needs ends above zero.");
        if (!isWhole(*range->after) || *range->after < 2) return fail(item, "a logarithmic range has a whole number of values, two or more.");
        if (*range->after > static_cast<double>(most_)) return tooMany(item, *range->after);
        const auto count = static_cast<int>(*range->after);
        for (int i = 0; i < count; ++i) {
            double value = i == count - 1 ? range->high : range->low * std::pow(range->high / range->low, double(i) / (count - 1));
            if (isWhole(range->low) && std::abs(value - std::round(value)) < roundingOfSteps * value) value = std::round(value);
            if (!take(item, numberOf(value))) return false;
        }
        return true;
    }

    bool addSteps(const std::string& item, const RangeText& range) {
        const double step = range.after.value_or(range.low <= range.high ? 1 : -1);
        if (step == 0 || (range.high - range.low) / step < 0) return fail(item, "this step never leads from the first end to the last.");
        const double count = std::floor((range.high - range.low) / step + roundingOfSteps) + 1;
        if (count > static_cast<double>(most_)) return tooMany(item, count);
        for (int i = 0; i < static_cast<int>(count); ++i) {
            if (!take(item, numberOf(asWritten(range.low + i * step)))) return false;
        }
        return true;
    }

    bool take(const std::string& item, Json value) {
        if (values_.size() >= most_) return tooMany(item, static_cast<double>(values_.size() + 1));
        values_.emplace_back(std::move(value));
        return true;
    }

    bool tooMany(const std::string& item, double count) {
        return fail(item, "this means " + formatNumber(count) + " values or more; " + std::to_string(most_) + " are the most.");
    }

    bool fail(const std::string& item, const std::string& message) {
        addValueProblem(problems_, item, message);
        return false;
    }

    std::size_t most_;
    Problems& problems_;
    std::vector<BoxedJson> values_;
};

} // namespace

std::optional<std::vector<BoxedJson>> parseValues(const std::string& text, std::size_t most, Problems& problems) {
    ValueParser parser(most, problems);
    for (const std::string& item : itemsOf(text)) {
        if (!parser.add(item)) return std::nullopt;
    }
    return parser.takeValues();
}

std::optional<ValueRange> parseRange(const std::string& text, Problems& problems) {
    const std::string_view body = std::string_view(text).substr(text.starts_with(logarithmic) ? logarithmic.size() : 0);
    const auto range = rangeIn(body);
    if (!range || range->after || !(range->low < range->high)) {
        addValueProblem(problems, text, "this is no range from a lower to a higher number, such as 25..400.");
        return std::nullopt;
    }
    const bool whole = body.find('.') == body.find("..") && isWhole(range->low) && isWhole(range->high) && body.find('.', body.find("..") + 2) == std::string_view::npos;
    return ValueRange{range->low, range->high, whole};
}

std::optional<Assignment> parseAssignment(const std::string& text, Problems& problems) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || text.front() != '/') {
        Problem problem;
        problem.code = "not-an-assignment";
        problem.message = "\"" + shortened(text, 80) + "\" is not written as POINTER=VALUES.";
        problem.mend = "For example /parallelism/tensor=1,2,4.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

} // namespace orrery
