// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/mcp_tools.hpp"
#include "app/common/exit_status.hpp"

#include <iostream>

namespace orrery {

int runServeMcp(const std::string& version) {
    // Tools keep what commands print from standard output, which belongs to the protocol.
    std::ostream answers(std::cout.rdbuf());
    McpServer(version, mcpTools()).serve(std::cin, answers);
    return exit_done;
}

} // namespace orrery
