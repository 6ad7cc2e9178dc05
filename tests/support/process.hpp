// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a program left behind.
struct ProcessResult {
    int status = -1; ///< exit status, or 128 + signal
    std::string out;
    std::string err;
};

struct ProcessOptions {
    std::string input;                        ///< fed to standard input
    bool obeyModes = false;                   ///< files' modes count for root as well
    std::string outputFile;                   ///< standard output goes there instead of into `out`
    unsigned secondsAtMost = 0;               ///< it is killed by SIGALRM then; 0: it may take as long as it likes
    std::optional<std::size_t> memoryLimit;   ///< bytes of address space
    std::optional<std::size_t> fileSizeLimit; ///< bytes no file may grow beyond, like a full disk
};

/// Runs `arguments[0]` with the rest as its arguments and waits for it.
ProcessResult runProcess(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

/// Runs the orrery-cli that was built with this test.
ProcessResult runCli(std::vector<std::string> arguments, const ProcessOptions& options = {});

} // namespace orrery
