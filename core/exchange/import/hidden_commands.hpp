// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/import.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <map>
#include <string>
#include <vector>

namespace orrery {

/// Commands that a script hands to another shell rather than running them itself: in words of `ssh`, `tmux` and their like, in files that it
/// writes and here-documents that it keeps in a variable. In their order; most are no launches.
std::vector<ShellCommand> hiddenCommands(const std::string& text, const ShellScript& script, const std::string& fileName, const ImportOptions& options);

/// "prefill" or "decode" by the port of a server, as the proxy in front of it is told: `--prefiller-port 8100`, `--decode http://host:8200`.
std::map<std::string, std::string> rolesByPort(const ShellScript& script);

} // namespace orrery
