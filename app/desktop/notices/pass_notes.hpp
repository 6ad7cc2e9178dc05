// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/pass_effects.hpp"
#include "widgets/forms/pass_switch.hpp"

namespace orrery {

/// What each pass does to a plan, in the form's words: "+8 −2" operators, or why it does nothing.
std::vector<PassNote> passNotes(const std::vector<PassEffect>& effects);

} // namespace orrery
