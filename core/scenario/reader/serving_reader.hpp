// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/reader/reader.hpp"

namespace orrery {

/// Reads a document of kind inference or serving that passed the shape check; `reading` holds what was found until now.
void readServed(const Json& document, const Catalog& catalog, const FileReader& readFile, ScenarioReading& reading);

} // namespace orrery
