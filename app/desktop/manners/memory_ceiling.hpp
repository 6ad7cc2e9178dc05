// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QSettings;

namespace orrery {

struct Dialogs;

/// Memory that a simulation may be expected to need, bytes, as this user set it; what the core usually allows otherwise.
double memoryCeiling(const QSettings& settings);

/// Asks for another ceiling and keeps it. False when the user cancelled.
bool askForMemoryCeiling(QSettings& settings, const Dialogs& dialogs);

} // namespace orrery
