// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// Gives the value of a name; nothing when there is no such name.
using NameLookup = std::function<std::optional<double>(std::string_view name)>;

/// What an expression is worth, or why it has no value.
struct ExpressionValue {
    std::optional<double> value;
    std::string error; ///< one sentence that quotes the place
};

/// Numbers, names, + - * / ^ (to the right), unary minus, parentheses, min(a, b, …) and max(a, b, …), as closed forms are
/// written: "s*b*h*(10 + 24/t + 5*a*s/(h*t))".
ExpressionValue evaluate(std::string_view expression, const NameLookup& lookup);

} // namespace orrery
