// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

namespace orrery {

/// The JSON Schema (draft 7) of a scenario document, made from the same table that the reader checks with.
Json scenarioSchema();

struct Shape; // core/scenario/document/schema_table.hpp

/// The same of a part, without what says that it is a schema.
Json schemaOf(const Shape& shape);

} // namespace orrery
