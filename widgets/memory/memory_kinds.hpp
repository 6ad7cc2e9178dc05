// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.hpp"
#include "core/results/report/result.hpp"

#include <QString>
#include <vector>

namespace orrery {

inline double gib(double bytes) { return bytes / units::gibibyte; }

QString memoryKindName(MemoryKind kind);        ///< as the legend says it: "optimizer"
QString memoryKindExplanation(MemoryKind kind); ///< one sentence: what these bytes are

/// The kinds a chart of this report stacks, bottom first: all of them but those that are zero on every stage.
std::vector<MemoryKind> shownMemoryKinds(const MemoryReport& report);

} // namespace orrery
