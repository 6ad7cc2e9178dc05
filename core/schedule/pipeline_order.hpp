#pragma once

#include <cstdint>

namespace orrery {

/// In which order the stages of a pipeline run their passes; see generators.hpp.
enum class PipelineOrder : std::uint8_t { gpipe, one_f_one_b, interleaved, zb_h1, zb_v, dual_pipe };

} // namespace orrery
