// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace orrery {

/// `orrery render SCENARIO --gantt F --memory F --roofline F --cluster F [--memory-over-time F] [--theme T] [--size WxH]`: the charts as
/// files (by ending, see chartEndings). Needs a QApplication, but no display. `arguments` are those after "render".
/// Gives an ExitStatus: 2 with messages on standard error, 3 when the scenario doesn't fit (the charts are written all the same).
int runRender(const QStringList& arguments);

} // namespace orrery
