// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/step.hpp"

#include <vector>

namespace orrery {

/// A stage's steps without most of what they repeat: where the same steps follow each other again and again, each time with the next
/// micro-batches, and end as many as they begin, a few times stand for all. Each step of those left out finds the stage in the state in which one
/// that is kept finds it, so both have the same peaks of memory. Micro-batches are numbered anew.
std::vector<PipelineStep> settledOrder(const std::vector<PipelineStep>& steps);

} // namespace orrery
