// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <string>
#include <vector>

namespace orrery {

/// `# orrery: POINTER VALUE`: a comment of a launch text that says what no option of the program does (core/exchange/launch writes them).
std::string commentOf(const ScenarioEdit& edit);

/// Those of a text, in its order; a line that is not written so is named in `problems` as a warning.
std::vector<ScenarioEdit> commentEdits(const std::string& text, const std::string& fileName, Problems& problems);

} // namespace orrery
