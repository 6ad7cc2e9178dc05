// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/accelerator.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/scenario/precisions.hpp"

#include <string_view>

namespace orrery {

/// How an engine runs weights in a precision on an accelerator.
enum class ServedArithmetic { as_named,     ///< what the precision means: products in it, or weights alone
                              weights_only, ///< weights stay in it and are widened on the way to products in 16 bit
                              none };       ///< not at all

/// Whether a data sheet states a dense peak of products in `format`.
bool statesPeak(const Accelerator& accelerator, std::string_view format);

/// Kernels that widen narrow weights (Marlin) run on NVIDIA's accelerators with bf16 (vllm-project/vllm, marlin_utils_fp8.py and
/// marlin_utils_fp4.py: compute capability 8.0 and later); which formats an engine takes them for stands in its profile.
ServedArithmetic servedArithmetic(const FrameworkProfile& profile, const Accelerator& accelerator, Precision precision);

} // namespace orrery
