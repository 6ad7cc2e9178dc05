// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/shell_expansion.hpp"
#include "core/exchange/launch_script/shell_lexer.hpp"

#include <vector>

namespace orrery {

/// The words and operators between `[` and `]`, or `[[` and `]]`.
///
/// Files are taken to exist, so that a script's checks of its surroundings pass; an unset variable is empty.
bool shellTest(const std::vector<ShellToken>& tokens, ShellExpander& expander);

} // namespace orrery
