// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/mends/mends.hpp"

#include <vector>

namespace orrery {

/// Changes that make a loop of training and serving fit, each simulated whole, the quickest step first: less memory for the engines, the trainer's
/// states in host memory while they answer, engines or trainer spread over more accelerators, more recomputed.
std::vector<TriedMend> tryRlMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control);

} // namespace orrery
