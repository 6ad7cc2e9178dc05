// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"

#include <string>

namespace orrery {

/// A graph as text, a line a tensor and a line an operator with every field, numbers in the fewest digits that give them back:
/// equal graphs are equal bytes, and unequal ones are not.
std::string toText(const Graph& graph);

} // namespace orrery
