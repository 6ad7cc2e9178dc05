// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// In which order the stages of a pipeline run their passes. What each one is and needs stands in schedule_traits.hpp, its steps come
/// from generators.hpp.
enum class PipelineOrder : std::uint8_t { gpipe,
                                          one_f_one_b,
                                          interleaved,
                                          zb_h1,
                                          zb_v,
                                          v_half,
                                          v_min,
                                          dual_pipe };

} // namespace orrery
