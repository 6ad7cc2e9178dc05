// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/catalog.hpp"

namespace orrery {

/// The shipped catalogue with the kernel times this user has imported. What of them can't be read is a warning and left out.
Catalog userCatalog(Problems& problems);

} // namespace orrery
