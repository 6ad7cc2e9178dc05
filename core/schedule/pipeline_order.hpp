// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// In which order the stages of a pipeline run their passes; see generators.hpp.
enum class PipelineOrder : std::uint8_t { gpipe,
                                          one_f_one_b,
                                          interleaved,
                                          zb_h1,
                                          zb_v,
                                          v_half,
                                          v_min,
                                          dual_pipe };

/// Down the stages and back up: two chunks a stage, the first and the last on stage 0.
constexpr bool runsInVee(PipelineOrder order) { return order == PipelineOrder::zb_v || order == PipelineOrder::v_half || order == PipelineOrder::v_min; }

/// Backwards in two parts: the input's gradient, which other stages wait for, and the weights'.
constexpr bool splitsBackward(PipelineOrder order) { return order == PipelineOrder::zb_h1 || runsInVee(order) || order == PipelineOrder::dual_pipe; }

} // namespace orrery
