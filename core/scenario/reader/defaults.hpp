// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/scenario/document/filled_document.hpp"

namespace orrery {

/// Fills what a training scenario leaves out: the profile's defaults first, then the contract's.
void fillDefaults(FilledDocument& document, const FrameworkProfile& profile);

} // namespace orrery
