// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/catalog.hpp"

namespace orrery {

/// The catalogue of `resources/catalog` with the shipped predictor, as built into the program. Costs some milliseconds: load once and share.
Catalog shippedCatalog();

/// The same without the predictor: for what makes one anew, when the shipped one may be of other features than this version has.
Catalog shippedSpecifications();

} // namespace orrery
