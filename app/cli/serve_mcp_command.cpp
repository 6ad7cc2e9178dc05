// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/mcp/mcp_session.hpp"
#include "app/cli/verbs/verbs.hpp"
#include "app/common/exit_status.hpp"

#include <iostream>

namespace orrery {

int runServeMcp(const std::string& version) {
    serve(McpServer(version, verbs()), std::cin, std::cout);
    return exit_done;
}

} // namespace orrery
