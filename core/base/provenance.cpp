// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/provenance.hpp"

#include <cstdio>

namespace orrery {

std::string_view toString(Source source) {
    switch (source) {
    case Source::measured: return "measured";
    case Source::predicted: return "predicted";
    case Source::roofline: return "roofline";
    case Source::assumed: return "assumed";
    case Source::given: return "given";
    case Source::derived: return "derived";
    }
    return "";
}

namespace {

void append(std::string& text, const Quantity& quantity, int depth) {
    char number[40];
    std::snprintf(number, sizeof number, "%.6g", quantity.value);
    text.append(static_cast<std::size_t>(depth) * 2, ' ');
    text += quantity.name + " = " + number;
    if (!quantity.unit.empty() && quantity.unit != "1") text += " " + quantity.unit;
    if (!quantity.formula.empty()) text += " = " + quantity.formula;
    text += "  [";
    text += toString(quantity.source);
    if (!quantity.reference.empty()) text += ", " + quantity.reference;
    text += "]\n";
    for (const Quantity& input : quantity.inputs) append(text, input, depth + 1);
}

} // namespace

Quantity derived(std::string name, double value, std::string unit, std::string formula, std::vector<Quantity> inputs, std::string reference) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), std::move(reference), std::move(inputs)};
}

Quantity given(std::string name, double value, std::string unit, std::string reference) {
    return {std::move(name), value, std::move(unit), Source::given, "", std::move(reference), {}};
}

std::string toText(const Quantity& quantity) {
    std::string text;
    append(text, quantity, 0);
    return text;
}

} // namespace orrery
