// SPDX-License-Identifier: GPL-3.0-or-later
// Written from what provenance.hpp says of formulas, without the code that makes them.
#include "tests/support/formula.hpp"

#include "core/answers/study/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::test {
namespace {

using Names = std::vector<std::pair<std::string, double>>; ///< with what they are worth, the longest first

std::optional<double> worth(std::string text, const Names& names);

double unitOf(const std::string& unit) {
    static const std::map<std::string, double> known{{"TFLOP/s", 1e12}, {"GB/s", 1e9}, {"d", 86400}, {"h", 3600}, {"kWh", 3.6e6}, {"money/h", 1 / 3600.0}, {"$/h", 1 / 3600.0}};
    const auto found = known.find(unit);
    return found == known.end() ? 1 : found->second;
}

/// "tokens_per_s" is read as "tokens per s", "iteration_time_s" as "iteration time".
std::string inWords(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    for (const std::string_view unit : {" s", " bytes"})
        if (name.ends_with(unit) && !name.ends_with("per s")) return name.substr(0, name.size() - unit.size());
    return name;
}

/// The words by which a formula may name a number.
std::vector<std::string> namesOf(const Quantity& quantity) {
    const std::string whole = inWords(quantity.name);
    std::vector<std::string> names{whole};
    if (const std::size_t comma = whole.find(','); comma != std::string::npos) names.push_back(inWords(whole.substr(0, comma)));
    const std::size_t space = whole.rfind(' ');
    const auto isSign = [](const std::string& word) { return word.size() == 1 || word == "δ" || word == "τ"; };
    if (space != std::string::npos && isSign(whole.substr(space + 1))) {
        names.push_back(whole.substr(0, space));
        names.push_back(whole.substr(space + 1));
    }
    return names;
}

/// What stands between the last `open` and the `close` after it, worked out and put in its place; false where there is no `open`.
bool workOut(std::string& text, std::string_view open, std::string_view close, const Names& names, double (*what)(double)) {
    const std::size_t from = text.rfind(open), to = from == std::string::npos ? from : text.find(close, from);
    if (to == std::string::npos) return false;
    const std::size_t inner = from + open.size();
    const std::optional<double> value = worth(text.substr(inner, to - inner), names);
    std::array<char, 40> number{};
    std::snprintf(number.data(), number.size(), "(%.17g)", value ? what(*value) : std::nan(""));
    text.replace(from, to + close.size() - from, number.data());
    return true;
}

/// The formula as a closed form of studies: signs as on a keyboard, and a number for each name, the longest that stands there.
std::string asClosedForm(std::string_view text, const Names& names) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> signs{{{"×", "*"}, {"−", "-"}, {"10⁶", "1000000"}, {"10⁹", "1000000000"}}};
    const auto isLetter = [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; };
    std::string form;
    while (!text.empty()) {
        const auto sign = std::find_if(signs.begin(), signs.end(), [&](const auto& one) { return text.starts_with(one.first); });
        const auto name = std::find_if(names.begin(), names.end(), [&](const auto& one) {
            const bool ends = text.size() == one.first.size() || (text.size() > one.first.size() && !isLetter(text[one.first.size()]));
            return text.starts_with(one.first) && ends && (form.empty() || !isLetter(form.back()));
        });
        if (sign != signs.end()) {
            form += sign->second;
            text.remove_prefix(sign->first.size());
        } else if (name != names.end()) {
            form += 'n' + std::to_string(name - names.begin());
            text.remove_prefix(name->first.size());
        } else {
            form += text.front();
            text.remove_prefix(1);
        }
    }
    return form;
}

std::optional<double> worth(std::string text, const Names& names) {
    while (workOut(text, "⌈", "⌉", names, [](double value) { return std::ceil(value); })) {}
    while (workOut(text, "⌊", "⌋", names, [](double value) { return std::floor(value); })) {}
    while (workOut(text, "√(", ")", names, [](double value) { return std::sqrt(value); })) {}
    return evaluate(asClosedForm(text, names), [&names](std::string_view word) -> std::optional<double> {
               if (word == "e") return std::exp(1.0);
               for (std::size_t i = 0; i < names.size(); ++i)
                   if (word == 'n' + std::to_string(i)) return names[i].second;
               return std::nullopt;
           })
        .value;
}

bool sumsUp(const Quantity& quantity) { return quantity.formula.starts_with("sum of ") && !quantity.inputs.empty(); }

} // namespace

bool isComputed(const Quantity& quantity) {
    static constexpr std::array<std::string_view, 12> signs{"×", "/", "÷", "+", "−", "√", "^", "⌈", "⌊", "=", "·", "max("};
    return sumsUp(quantity) || std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) { return quantity.formula.find(sign) != std::string::npos; });
}

std::optional<double> recomputed(const Quantity& quantity) {
    if (sumsUp(quantity)) {
        double sum = 0;
        for (const Quantity& input : quantity.inputs) sum += input.value * unitOf(input.unit);
        return sum / unitOf(quantity.unit);
    }
    Names names;
    const auto know = [&names](const Quantity& one) {
        for (const std::string& name : namesOf(one)) names.emplace_back(name, one.value * unitOf(one.unit));
    };
    for (const Quantity& input : quantity.inputs) know(input);
    const std::size_t equals = quantity.formula.find('=');
    if (equals != std::string::npos) know(quantity);
    std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    if (equals == std::string::npos) {
        const std::optional<double> value = worth(quantity.formula, names);
        return value ? std::optional(*value / unitOf(quantity.unit)) : std::nullopt;
    }
    constexpr double met = 1e-6;
    const auto left = worth(quantity.formula.substr(0, equals), names), right = worth(quantity.formula.substr(equals + 1), names);
    return left && right && std::abs(*left - *right) < met ? std::optional(quantity.value) : std::nullopt;
}

} // namespace orrery::test
