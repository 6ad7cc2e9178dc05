// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/recorded_job.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// All kernels of a job that have one name.
struct KernelName {
    std::string name;
    std::int64_t kernels = 0;
    double seconds = 0; ///< their durations, added
};

/// Names of a job's kernels, the one that takes longest first; those of equal times by the alphabet.
std::vector<KernelName> kernelNames(const RecordedJob& job);

} // namespace orrery
