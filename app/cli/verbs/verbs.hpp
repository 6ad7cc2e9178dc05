// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/common/verb.hpp"

#include <vector>

namespace orrery {

/// What other programs may ask for, over the Model Context Protocol and from Python: the verbs of the command line, with the same documents as their
/// --json. A document that has an argument `detail` comes without long lists unless that is "full".
std::vector<Verb> verbs();

} // namespace orrery
