// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"

#include <QString>

#include <optional>
#include <vector>

namespace orrery {

/// What the user picked; `system` follows the desktop.
enum class ThemeChoice { system,
                         light,
                         dark,
                         high_contrast,
                         colour_safe };

const std::vector<ThemeChoice>& themeChoices();
QString themeName(ThemeChoice choice);  ///< "dark": for settings and the command line
QString themeTitle(ThemeChoice choice); ///< "Dark", translated
std::optional<ThemeChoice> themeFromName(const QString& name);
ThemeVariant variantFor(ThemeChoice choice, bool systemIsDark);

/// Whether the desktop's own colours are dark; ask before any theme is applied, for that hides them.
bool systemPaletteIsDark();

} // namespace orrery
