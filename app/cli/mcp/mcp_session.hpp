// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/mcp/mcp_server.hpp"

#include <iosfwd>

namespace orrery {

/// Answers a client line by line until the input ends, and all that was asked is answered, or until nobody reads the answers. Tools run one after the other
/// beside the reading, so that a ping is answered while one works. "notifications/cancelled" ends a tool early, or takes it out of the row, and then nothing is
/// answered to that request.
void serve(const McpServer& server, std::istream& in, std::ostream& out);

} // namespace orrery
