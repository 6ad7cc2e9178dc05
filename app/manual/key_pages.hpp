// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/manual/manual.hpp"

#include <string>
#include <vector>

namespace orrery {

/// A key that a scenario may have. `pointer` has "*" for an element of a list and "NAME" for a name of one's own.
struct KeyEntry {
    std::string pointer;
    std::string text; ///< Markdown: what it says, what it may be, its default
};

/// Every key of the schema's table, once, in its order.
std::vector<KeyEntry> keyEntries();

/// The page that a key stands on: one for each section of a scenario.
std::string keyPageOf(const std::string& pointer);

std::vector<ManualPage> keyPages();

} // namespace orrery
