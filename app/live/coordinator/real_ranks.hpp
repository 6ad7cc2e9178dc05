// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A process of this machine, seen through a descriptor that stays its own when its number is given to another.
struct WatchedProcess {
    int pid = 0;
    int descriptor = -1; ///< pidfd; -1: it had gone already
};

/// How a real rank's program is started.
struct RankStart {
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>> environment; ///< beside the caller's own
    bool outputToError = false;                                   ///< what it prints on standard output goes to standard error
};

/// Starts the program; it is ended when this process is. Nothing, with `error` a sentence, when it can't be run.
std::optional<WatchedProcess> startRank(const RankStart& start, std::string& error);

/// Watches a process that somebody else started.
WatchedProcess watchProcess(int pid);

/// What the system says of a process: 'R' runs or would, 'S' and 'D' sleep, 'T' was stopped, 'Z' has ended; ns of CPU time of all its threads.
struct ProcessState {
    char letter = 'Z';
    std::uint64_t cpuTime = 0;
};
ProcessState stateOf(int pid);

} // namespace orrery
