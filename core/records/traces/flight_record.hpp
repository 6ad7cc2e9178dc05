// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A collective, send or receive that a rank called.
struct FlightEntry {
    std::string group;         ///< name of its process group
    std::int64_t sequence = 0; ///< which collective of the group, or which send or receive between its two ranks; from 1
    bool betweenTwo = false;   ///< a send or receive
    std::string operation;     ///< "all_reduce", "send 0->1", "recv 1<-0"; ranks as the group numbers them
    std::string inputs;        ///< sizes of the tensors: "[[3,4]]"
    bool completed = false, started = false;
    std::string where; ///< what called it, outside of PyTorch: "step at train.py:44"; empty: not said
};

struct FlightGroup {
    std::string description;
    std::vector<std::int64_t> ranks; ///< of the job, in the group's order; empty: not said
};

/// What PyTorch's flight recorder wrote of one rank (TORCH_NCCL_DUMP_ON_TIMEOUT, files nccl_trace_rank_N): the last calls of its communication library, from a ring.
struct FlightRecord {
    std::string file;
    std::optional<std::int64_t> rank; ///< the number that the file's name ends with
    std::string version;
    std::map<std::string, FlightGroup> groups; ///< by name
    struct Status {
        std::int64_t enqueued = -1, completed = -1; ///< last collective; below 0: none, or not said
    };
    std::map<std::string, Status> status; ///< by name of the group
    std::vector<FlightEntry> entries;     ///< in order of the calls
};

/// Reads a dump, a pickle of plain values of which nothing is executed, or the same as JSON; packed with gzip too. Nothing, with a problem, for any other file.
/// The form is that of versions 2.0 to 2.10 (torch/csrc/distributed/c10d/FlightRecorder.hpp).
std::optional<FlightRecord> readFlightRecord(std::string_view bytes, const std::string& fileName, Problems& problems);

} // namespace orrery
