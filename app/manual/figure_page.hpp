// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/manual/manual.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What resources/manual/figures.json says of a figure, or of several alike.
struct FigureEntry {
    std::string pattern; ///< pointer into a result; "*" stands for one step of it, "**" for any number
    std::string unit;    ///< as its derivation names it; "1" of shares and counts
    std::string of;      ///< the kinds of work whose results have it
    std::string meaning; ///< one sentence or two
};

std::vector<FigureEntry> figureEntries();

/// Whether a pattern speaks of the pointer.
bool speaksOf(std::string_view pattern, std::string_view pointer);

ManualPage figurePage();

/// The constants that no single accelerator, framework or library has (resources/catalog/physics.json), each with its source.
ManualPage constantPage();

} // namespace orrery
