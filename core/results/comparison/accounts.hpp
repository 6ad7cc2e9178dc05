// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What kind of work an operator of a result is, by the `kind` that it is listed under: "GEMM" for products of matrices, "attention" for scores,
/// their softmax and what they weigh, "elementwise" for all else (norms, activations, look-ups, losses). Backward operators are what their
/// forward ones are.
std::string operatorClass(std::string_view kind);

/// A figure of a result with the parts that sum to it, up to rounding.
struct Account {
    struct Part {
        std::string name;
        double value = 0;
    };
    double value = 0;
    std::vector<Part> parts;
};

/// How a result divides one of its own figures (a RESULT POINTER); nothing where it doesn't.
std::optional<Account> accountOf(const Json& result, const std::string& pointer);

/// The figure of a result that `pointer`'s is a rate or a multiple of: "/iteration_time_s" of "/mfu".
struct DrivenBy {
    std::string pointer;
    bool rate = false; ///< one over it
};
std::optional<DrivenBy> drivenBy(const Json& result, const std::string& pointer);

} // namespace orrery
