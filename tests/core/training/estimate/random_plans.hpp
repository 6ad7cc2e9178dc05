// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "tests/support/random_source.hpp"

#include <string>

namespace orrery::test {

/// A training plan drawn at random over models, machines, all dimensions, schedules, ZeRO stages and overlaps. Many break a rule of
/// the contract; the reader refuses those.
Json randomPlan(RandomSource& random);

/// What was drawn, in one line.
std::string nameOf(const Json& document);

} // namespace orrery::test
