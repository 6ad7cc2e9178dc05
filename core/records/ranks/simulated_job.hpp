// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/planned_ranks.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// How kernels vary: every kernel of every rank has a log-normal factor of mean 1.
struct KernelJitter {
    double sigma = 0; ///< of the factor's logarithm
    std::uint64_t seed = 0;
};

/// The factor of a kernel: a function of the seed, the lane, and which kernel of the lane it is.
double kernelFactor(const KernelJitter& jitter, int lane, std::uint64_t kernel);

/// One iteration of a job, all of whose ranks ran by themselves.
struct SimulatedJob {
    TaskTimes times;               ///< by task of the iteration
    std::vector<double> passTimes; ///< s without what slows it from beside, by task; below 0: no pass
    std::vector<double> peakBytes; ///< by stage of the pipeline
    double peak() const;           ///< the largest of them
};

/// The name of a collective's kernel in an exported trace: one by which every reader knows communication.
std::string communicationName(const std::string& operatorName);

/// Nothing when stopped.
std::optional<SimulatedJob> simulateAllRanks(PlannedRanks& ranks, const KernelJitter& jitter, const RunControl& control = {});

/// Writes what PyTorch's profiler would have recorded of a rank: Kineto JSON with its kernels, collectives (waiting included), memory, rank and world size.
void writeRankTrace(const PlannedRanks& ranks, const SimulatedJob& job, const KernelJitter& jitter, int rank, std::ostream& out);

} // namespace orrery
