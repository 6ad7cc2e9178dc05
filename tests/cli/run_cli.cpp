// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/process.hpp"

namespace orrery {

ProcessResult runCli(std::vector<std::string> arguments, const ProcessOptions& options) {
    arguments.insert(arguments.begin(), ORRERY_CLI);
    return runProcess(arguments, options);
}

} // namespace orrery
