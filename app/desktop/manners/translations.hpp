// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/manners/language_choice.hpp"

class QCoreApplication;

namespace orrery {

/// Installs the texts of the chosen language, with Qt's own in the same one. English has a file too: its plurals ("1 value", "2 values").
void installTranslations(QCoreApplication& application, LanguageChoice choice = LanguageChoice::system);

} // namespace orrery
