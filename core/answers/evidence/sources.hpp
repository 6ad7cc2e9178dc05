// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/evidence.hpp"

#include <vector>

namespace orrery {

/// By run: the source it belongs to, numbered by first appearance. Runs of one collection are of one source, and collections that share
/// a publication are one: what such runs have in common (a machine, a recipe, a way of measuring) no other evidence needs to have.
std::vector<std::size_t> sourcesOf(const Evidence& evidence);

} // namespace orrery
