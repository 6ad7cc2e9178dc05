// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/player.hpp"

#include <optional>

namespace orrery {

/// Idle time of the busiest of equal stages without communication, over the time that the micro-batches keep a stage busy, m (F + B),
/// by the order's closed form (physics rows 4 and 12); nothing where it has none.
///
/// - gpipe, one_f_one_b: (p−1)/m; interleaved: (p−1)/(v m) (Narayanan et al. 2021, section 2.2). They hold for any times.
/// - zb_h1: (p−1)(F+B−2w), for w ≤ F and w ≤ B−w (Qi et al. 2023, arXiv 2401.10241, section 2.1).
/// - zb_v: 0, for F = B−w = w (same paper, section 6).
/// - dual_pipe: (p/2−1)(F&B+B−3w), for F = B−w ≥ w (DeepSeek-V3, arXiv 2412.19437, table 2).
/// - v_half, v_min: none. Qi et al. 2024 (arXiv 2405.15362) bound them; what they idle beyond the bound hangs on p and m.
///
/// The split ones from two micro-batches a stage on. `times`: of a whole stage; where `together` is left out F&B is F+B.
std::optional<double> idealBubble(PipelineOrder order, const PipelineShape& shape, const PassTimes& times);

} // namespace orrery
