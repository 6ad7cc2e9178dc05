// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/forms/field_table.hpp"

#include <vector>

namespace orrery {

/// Rows of the table for reinforcement learning: what joins its halves, then each half's own numbers. The plan and the execution of the form are
/// the trainer's.
std::vector<FieldSpec> rlFields();

} // namespace orrery
