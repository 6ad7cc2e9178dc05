// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/rank_record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What-if: kernels whose names have `match` in them, letter case ignored, take `factor` times as long.
struct ScaledKernels {
    std::string match;
    double factor = 1;
    bool matches(const std::string& name) const;
};

/// How many times as long a kernel of that name takes: several that match multiply.
double factorOf(const std::string& name, const std::vector<ScaledKernels>& scaled);
/// The same by name of the trace. Empty: nothing is asked.
std::vector<double> kernelFactors(const KinetoTrace& trace, const std::vector<ScaledKernels>& scaled);

/// The record that the rank would have left with such kernels: what a kernel's time doesn't reach (launches, the host) stays where it is.
/// A communication kernel that begins earlier ends when it did: how long it takes is decided between ranks.
/// `rank`: whose record it is, where the file doesn't say it.
RankRecord scaledRecord(const KinetoTrace& trace, std::string file, const std::vector<ScaledKernels>& scaled, std::optional<std::int64_t> rank = std::nullopt);

} // namespace orrery
