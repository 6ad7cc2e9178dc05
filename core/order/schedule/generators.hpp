// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/order/schedule/schedule_traits.hpp"

#include <optional>

namespace orrery {

/// Why `order` cannot run this shape, or nothing when it can: numbers that are no shape, or what the order needs (`ShapeNeed`).
std::optional<ShapeRefusal> refusalOf(PipelineOrder order, const PipelineShape& shape);

/// The steps of every stage, without communication steps. Throws std::invalid_argument with the reason of `refusalOf`.
///
/// F forward, B whole backward, w its weight part, F&B a forward and a backward run together, A the activations of one micro-batch in
/// a stage; equal stages, no communication, m ≥ 2p (physics row 12):
/// - gpipe (Huang et al. 2019): all forwards, then all backwards. Idle (p−1)(F+B), peak m·A.
/// - one_f_one_b (Narayanan et al. 2021, figure 4): idle (p−1)(F+B), peak p·A on stage 0.
/// - interleaved (same figure, below): idle (p−1)(F+B)/v; one chunk a stage is 1F1B.
/// - zb_h1 (Qi et al. 2023, arXiv 2401.10241, section 2.1): 1F1B with the weight parts of stage i held back by i micro-batches. Idle
///   (p−1)(F+B−2w) when w ≤ F and w ≤ B−w, peak p·A on every stage.
/// - zb_v (same paper, section 6; arXiv 2405.15362): no stage idles between its first and its last step when F = B−w = w; the
///   pipeline as a whole still takes p−1 forwards of a chunk to reach its last stage. Peak p·A.
/// - v_half, v_min (arXiv 2405.15362, section 4 and table 1): peaks ⌊(p+2)/2⌋·A and ⌊(p+4)/3⌋·A. When F = B−w = w stages idle about half
///   and two thirds as long as 1F1B's between their first and last steps (that table: p/2 and 2p/3 of F+B). V-Min's steady state holds
///   that only there: for other ratios every micro-batch adds idle time.
/// - dual_pipe (DeepSeek-V3, arXiv 2412.19437): idle (p/2−1)(F&B+B−3w) on the middle stages, the busiest, over the whole pipeline's
///   span when F = B−w ≥ w; for other ratios the order stays legal and its idle time is what playing it gives. Peak (p+1)·A, the
///   weights twice.
PipelineSchedule makePipelineSchedule(PipelineOrder order, const PipelineShape& shape);

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
