#pragma once

#include "core/report/result.hpp"

#include <QString>

#include <vector>

namespace orrery {

QString memoryKindName(MemoryKind kind);        ///< as the legend says it: "optimizer"
QString memoryKindExplanation(MemoryKind kind); ///< one sentence: what these bytes are

/// The kinds a chart of this report stacks, bottom first: all of them but those that are zero on every stage.
std::vector<MemoryKind> shownMemoryKinds(const MemoryReport& report);

/// A round distance between axis ticks (1, 2 or 5 times a power of ten), so that at most `ticks` fit into `span`.
double roundTickStep(double span, int ticks);

} // namespace orrery
