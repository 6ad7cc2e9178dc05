// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace orrery {

/// The catalogue's id of a checkpoint whose own name is another: spelled otherwise ("llama3.1-8b"), or trained further from a model of the
/// catalogue with its layers unchanged ("qwq-32b"). A name that is in no table stays.
std::string catalogueName(std::string name);

} // namespace orrery
