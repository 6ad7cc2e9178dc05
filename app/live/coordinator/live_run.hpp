// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/live_exchange.hpp"
#include "core/records/live/live_groups.hpp"
#include "core/records/live/live_slice.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What virtual ranks send, and where the parts of the program in the user's Python lie.
struct LiveRunOptions {
    int world = 1;
    std::vector<int> real;
    std::vector<std::string> command;
    int perNode = 8; ///< accelerators of a host, for LOCAL_RANK
    bool zeros = false, ownObjects = false, cudaOnCpu = false;
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> memoryLimit; ///< bytes of tensors on a rank
    double patience = 4;                      ///< s that a rank which others wait for may stand still, neither computing nor communicating
    bool outputToError = false;
    std::string extension, pythonFolder;
};

struct LiveRunResult {
    std::unique_ptr<LiveGroups> groups;
    std::vector<LiveSlice> slices; ///< of real ranks that joined, by rank
    std::vector<LiveFault> faults; ///< the first is the cause
    std::map<int, std::string> stacks;
    std::vector<std::string> remarks;
};

/// Runs the program once for each real rank, brings their calls together and watches over them until all have ended. Ends them where one fails, where nobody
/// can go on, or where calls do not fit. Listens on a Unix socket in a folder of its own, which it removes; on no network address.
/// Nothing, with `error` a sentence, where the program can't be started at all.
std::optional<LiveRunResult> runLive(const LiveRunOptions& options, std::string& error);

} // namespace orrery
