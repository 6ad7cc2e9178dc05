// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/rank_record.hpp"
#include "core/records/ranks/recorded_passes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A record that tells of a class of ranks, as if it were of `rank`.
struct ClassRecord {
    std::size_t ofClass = 0;
    int rank = 0;
    const RecordedPasses* record = nullptr; ///< never null
};

using ClassKernel = std::pair<std::size_t, std::uint32_t>; ///< class and operator

/// How far kernels of a kind lie from each other, without what stretches a pass as a whole: standard deviation of the logarithm. It is of kernels that nothing ran beside;
/// where there are too few of them, of all.
double kernelSpread(const PlannedRanks& ranks, const std::vector<ClassRecord>& records);

/// What a class's kernels take alone, over what is planned, as its records show it where nothing ran beside them.
class KernelMeans {
public:
    KernelMeans(const PlannedRanks& ranks, const std::vector<ClassRecord>& records);
    bool has(std::size_t ofClass) const { return classes_.contains(ofClass); }
    /// For a kind that always has something beside it: what the other kernels of the class show.
    double shareOf(const ClassKernel& kind) const {
        const auto own = kinds_.find(kind);
        return own != kinds_.end() ? own->second.share() : classes_.at(kind.first).share();
    }

private:
    struct Sums {
        double recorded = 0, planned = 0;
        double share() const { return planned > 0 ? recorded / planned : 1; }
    };
    std::map<ClassKernel, Sums> kinds_;
    std::map<std::size_t, Sums> classes_;
};

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
