// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

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
