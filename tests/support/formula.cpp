// SPDX-License-Identifier: GPL-3.0-or-later
// Written from what provenance.hpp says of formulas, without the code that makes them.
#include "tests/support/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::test {
namespace {

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

class Reader {
public:
    Reader(std::string text, std::vector<std::pair<std::string, double>> names) : text_(std::move(text)), names_(std::move(names)) {
        std::stable_sort(names_.begin(), names_.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    }

    double all() {
        const double value = sum();
        skip();
        if (at_ != text_.size()) throw std::invalid_argument("left over: " + text_.substr(at_));
        return value;
    }

private:
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(std::string_view sign) {
        skip();
        if (!std::string_view(text_).substr(at_).starts_with(sign)) return false;
        at_ += sign.size();
        return true;
    }
    void need(std::string_view sign) {
        if (!take(sign)) throw std::invalid_argument("no " + std::string(sign) + " at: " + text_.substr(at_));
    }

    double sum() {
        double value = product();
        while (true) {
            if (take("+")) value += product();
            else if (take("−")) value -= product();
            else return value;
        }
    }
    double product() {
        double value = power();
        while (true) {
            if (take("×")) value *= power();
            else if (take("/")) value /= power();
            else return value;
        }
    }
    double power() {
        const double base = atom();
        return take("^") ? std::pow(base, power()) : base;
    }
    double atom() {
        skip();
        if (take("(")) return closed(sum(), ")");
        if (take("√(")) return std::sqrt(closed(sum(), ")"));
        if (take("⌈")) return std::ceil(closed(sum(), "⌉"));
        if (take("⌊")) return std::floor(closed(sum(), "⌋"));
        for (const auto& [name, value] : names_)
            if (isWord(name)) {
                at_ += name.size();
                return value;
            }
        if (take("max(")) {
            double most = sum();
            while (take(",")) most = std::max(most, sum());
            return closed(most, ")");
        }
        if (take("10⁶")) return 1e6;
        if (isWord("e")) {
            ++at_;
            return std::exp(1.0);
        }
        std::size_t used = 0;
        const double number = std::stod(text_.substr(at_), &used); // throws where there is none
        at_ += used;
        return number;
    }
    double closed(double value, std::string_view by) {
        need(by);
        return value;
    }
    /// Whether the name stands here and ends where a word does.
    bool isWord(std::string_view name) const {
        const std::string_view rest = std::string_view(text_).substr(at_);
        if (name.empty() || !rest.starts_with(name)) return false;
        const char next = rest.size() > name.size() ? rest[name.size()] : ' ';
        return std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_';
    }

    std::string text_;
    std::vector<std::pair<std::string, double>> names_;
    std::size_t at_ = 0;
};

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
    std::vector<std::pair<std::string, double>> names;
    const auto know = [&names](const Quantity& one) {
        for (const std::string& name : namesOf(one)) names.emplace_back(name, one.value * unitOf(one.unit));
    };
    for (const Quantity& input : quantity.inputs) know(input);
    try {
        const std::size_t equals = quantity.formula.find('=');
        if (equals == std::string::npos) return Reader(quantity.formula, names).all() / unitOf(quantity.unit);
        know(quantity);
        constexpr double met = 1e-6;
        const double left = Reader(quantity.formula.substr(0, equals), names).all(), right = Reader(quantity.formula.substr(equals + 1), names).all();
        return std::abs(left - right) < met ? std::optional(quantity.value) : std::nullopt;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

} // namespace orrery::test
