// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/reader/reader.hpp"

namespace orrery {

/// Reads a document of kind rl that passed the shape check: each half as a scenario of its own; `reading` holds what was found until now. The
/// scenario is the trainer's but for its workload and its cluster, which is the whole one.
void readRl(const Json& document, const Catalog& catalog, const FileReader& readFile, ScenarioReading& reading);

} // namespace orrery
