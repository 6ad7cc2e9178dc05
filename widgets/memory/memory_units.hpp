// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.hpp"

namespace orrery {

inline double gib(double bytes) { return bytes / units::gibibyte; }

} // namespace orrery
