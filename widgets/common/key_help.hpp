// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

#include <vector>

namespace orrery {

/// A key that a view handles itself while it has the focus, for the sheet of keys. What a command does has its own entry there.
struct KeyHelp {
    QString keys;     ///< "W, S": as a person reads it
    QString what;     ///< "Zoom in and out"
    QList<int> codes; ///< Qt::Key, of all that `keys` names
};

} // namespace orrery
