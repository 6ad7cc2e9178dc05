// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "resources/shipped_catalog.hpp"

namespace orrery::test {

/// The shipped catalogue, read once.
inline const Catalog& catalog() {
    static const Catalog shipped = shippedCatalog();
    return shipped;
}

} // namespace orrery::test
