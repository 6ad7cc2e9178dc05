// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <CLI/CLI.hpp>

namespace orrery {

/// What is wrong with a command line that could not be parsed, in a user's words: a command or an option that there is none of names
/// the nearest one; anything else is what the parser says.
Problem commandLineMistake(const CLI::App& app, int argc, const char* const* argv, const CLI::ParseError& error);

} // namespace orrery
