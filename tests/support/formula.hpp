// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"

#include <optional>

namespace orrery::test {

/// Whether the formula is to be computed (core/base/provenance.hpp), not to be read as a sentence.
bool isComputed(const Quantity& quantity);

/// What the formula gives with the inputs' values and units, in the quantity's unit; of an equation the quantity's own value where both sides are
/// equal. Nothing where a word of it is no input's name.
std::optional<double> recomputed(const Quantity& quantity);

} // namespace orrery::test
