// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"

#include <ostream>

namespace orrery {

/// Where the numbers of a result come from, but those in its lists: formula, inputs and sources, as indented text.
void printExplanations(const Result& result, std::ostream& out);

/// The same, by pointer into the result document.
Json explanationsDocument(const Result& result);

} // namespace orrery
