// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/generators.hpp"

namespace orrery {

// One function an order; the shape is one its order does not refuse.
PipelineSchedule gpipeOrder(const PipelineShape& shape);
PipelineSchedule oneForwardOneBackwardOrder(const PipelineShape& shape);
/// `paired`: one more forward before the first backward, from where on each forward runs together with the backward behind it.
PipelineSchedule interleavedOrder(const PipelineShape& shape, bool paired = false);
PipelineSchedule zeroBubbleH1Order(const PipelineShape& shape);
PipelineSchedule zeroBubbleVOrder(const PipelineShape& shape);
PipelineSchedule vHalfOrder(const PipelineShape& shape);
PipelineSchedule vMinOrder(const PipelineShape& shape);
PipelineSchedule dualPipeOrder(const PipelineShape& shape);

} // namespace orrery
