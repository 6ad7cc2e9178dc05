#pragma once

#include "core/catalog/catalog.hpp"

namespace orrery {

/// The catalogue of `resources/catalog` with the shipped predictor, as built into the program. Costs some milliseconds: load once and share.
Catalog shippedCatalog();

} // namespace orrery
