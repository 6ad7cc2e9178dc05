// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace orrery::test {

struct TraceSeed {
    std::string name;
    std::string bytes;
};

/// A small file for every reader of traces: made ones, and beside them the small real ones where they are at hand.
std::vector<TraceSeed> traceSeeds();

/// The text packed with gzip.
std::string gzipped(const std::string& text);

} // namespace orrery::test
