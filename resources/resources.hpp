// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace orrery {

/// A shipped data file's bytes by its path below `resources/` ("catalog/accelerators.json"); empty when there is none.
std::string_view resourceText(std::string_view name);

/// The names of all shipped data files, sorted.
std::vector<std::string_view> resourceNames();

} // namespace orrery
