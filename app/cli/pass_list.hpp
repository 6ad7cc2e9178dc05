// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/pass_effects.hpp"

#include <ostream>
#include <vector>

namespace orrery {

/// The passes in their order with the operators that each added, removed and changed, as indented text.
void printPasses(const std::vector<PassEffect>& effects, std::ostream& out);

} // namespace orrery
