// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/checkpoint.hpp"
#include "core/answers/explore/sweep.hpp"

#include <map>
#include <optional>
#include <string>

namespace orrery {

/// Points of a sweep or a search that a checkpoint file keeps; without a file, nothing is kept.
class KeptPoints {
public:
    /// Says on standard error how many are known. An error in `problems` means that the file can't be used. `question` outlives this.
    KeptPoints(const std::string& path, const std::string& command, const SweepQuestion& question, const Json& scenario, Problems& problems);

    std::map<std::size_t, SweptPoint> takeKnown() { return std::move(known_); }
    /// Writes each point to the file.
    OnSweptPoint keeper();
    /// Warns on standard error where a point could not be written.
    void sayFault() const;

private:
    const SweepQuestion& question_;
    std::optional<Checkpoint> checkpoint_;
    std::map<std::size_t, SweptPoint> known_;
    std::string fault_;
};

} // namespace orrery
