// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <ostream>

namespace orrery {

/// A result for a person at a terminal: headline, where the time goes, memory by stage, what was assumed, warnings.
void printHeadline(const Result& result, std::ostream& out);

/// Memory by stage and kind, and whether it fits.
void printMemory(const Result& result, std::ostream& out);

} // namespace orrery
