// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/mcp/mcp_server.hpp"

#include <vector>

namespace orrery {

/// What `serve-mcp` offers: the verbs of the command line, with the same documents as their --json.
std::vector<McpTool> mcpTools();

} // namespace orrery
