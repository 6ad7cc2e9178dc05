// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/results/report/result.hpp"

namespace orrery {

/// What a run gives: a result, or the problems that prevent one, or neither when it was stopped.
struct Outcome {
    ResultPtr result;
    Problems problems;
    bool cancelled = false;
};

} // namespace orrery
