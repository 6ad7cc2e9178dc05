// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace orrery {

/// A rate of GB/s as networks are sold: "400 Gb/s", "3.2 Tb/s".
QString bitRate(double gigabytesPerSecond);

} // namespace orrery
