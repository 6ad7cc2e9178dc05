#pragma once

#include "core/catalog/catalog.hpp"

namespace orrery {

/// The catalogue of `resources/catalog`, as built into the program. Costs some milliseconds: load once and share.
Catalog shippedCatalog();

} // namespace orrery
