// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Why B takes longer or shorter than A.
struct Comparison {
    struct Part {
        std::string name; ///< of `time_breakdown_s`
        double delta = 0; ///< B − A, s
    };
    std::string metric = "iteration_time_s";
    double a = 0;
    double b = 0;
    double difference = 0;   ///< b − a
    std::vector<Part> parts; ///< in the breakdown's order; they sum to `difference`
};

/// Compares two training results, given as result documents so that saved ones compare too. What is no training result
/// becomes a problem that names it ("A" or "B").
std::optional<Comparison> compareResults(const Json& a, const Json& b, Problems& problems);

/// The contract's `orrery-comparison/1`.
Json toJson(const Comparison& comparison);

} // namespace orrery
