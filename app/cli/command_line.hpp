// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// Parses the command line, runs the command it names and gives the exit status.
int runCommandLine(int argc, const char* const* argv);

/// True when the command line asks for JSON, also when it is wrong elsewhere.
bool asksForJson(int argc, const char* const* argv);

} // namespace orrery
