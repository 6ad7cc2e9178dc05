// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

namespace orrery {

/// How many times better than predicted a figure of the result can be at most, at least 1: an iteration can't do its FLOPs faster than the hardware's dense
/// peak, an accelerator can't hold less than weights and optimizer states, and a server can't answer faster than it is asked. Infinite where
/// nothing of the kind is known.
double fastestPossible(const Result& result, ErrorOf what);

} // namespace orrery
