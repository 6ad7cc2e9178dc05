// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.hpp"
#include "app/cli/common/output.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"

#include <exception>
#include <iostream>

namespace {

int runGuarded(int argc, char** argv) {
    try {
        return orrery::runCommandLine(argc, argv);
    } catch (const std::exception& error) {
        orrery::Problem problem;
        problem.code = "internal-error";
        problem.message = std::string("Orrery itself is at fault: ") + error.what() + ".";
        problem.mend = "Please report this with the command and its input.";
        orrery::refuse(problem, orrery::asksForJson(argc, argv));
        return orrery::exit_internal;
    }
}

} // namespace

int main(int argc, char** argv) {
    orrery::reportFileSizeLimitAsError();
    const int status = runGuarded(argc, argv);
    std::cout.flush();
    if (!std::cout) {
        std::cerr << "error: Cannot write standard output.\n";
        return orrery::exit_bad_input;
    }
    return status;
}
