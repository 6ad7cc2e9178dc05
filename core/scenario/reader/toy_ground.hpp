// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// Notes that only the stated times of a toy count.
void assumeToy(FilledDocument& document);

/// A toy's scenario without what would take time or memory beside its layers: links, hosts, launches, buffers of the software.
void leaveToStatedTimes(Scenario& scenario);

} // namespace orrery
