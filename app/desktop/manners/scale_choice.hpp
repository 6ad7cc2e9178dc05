// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

class QSettings;

namespace orrery {

/// How large the whole window is drawn, in percent of what the screen asks for: letters, controls and charts alike.
inline constexpr std::array scaleChoices{100, 125, 150, 175, 200};

int scaleIn(const QSettings& settings); ///< 100 where none was picked, or none of the choices
void keepScale(QSettings& settings, int percent);

/// Lets Qt draw so, before there is an application. A scale that the environment states stands.
void applyScale(int percent);

} // namespace orrery
