// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/simulation/simulate.hpp"

namespace orrery {

/// As `simulate`, for who prints the result as a document and nothing else: neither the report on the network nor the causes, which stand in none, are made.
Outcome simulateFigures(const Scenario& scenario, const RunControl& control = {});

} // namespace orrery
