// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <string>

namespace orrery {

class Catalog; // core/catalog

/// `{"format": "orrery-list/1", WHAT: [...]}` for "models", "accelerators", "platforms" or "frameworks". Keys are those that
/// scenario files use: an accelerator printed here can be pasted into `/cluster/accelerator`.
Json catalogDocument(const Catalog& catalog, const std::string& what);

} // namespace orrery
