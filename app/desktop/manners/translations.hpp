// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCoreApplication;

namespace orrery {

/// Installs the texts of the user's language, or else the English plurals ("1 value", "2 values"); and Qt's own.
void installTranslations(QCoreApplication& application);

} // namespace orrery
