// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// What kind of work an operator of a result is, by the `kind` that it is listed under: "GEMM" for products of matrices, "attention" for scores,
/// their softmax and what they weigh, "elementwise" for all else (norms, activations, look-ups, losses). Backward operators are what their
/// forward ones are.
std::string operatorClass(std::string_view kind);

} // namespace orrery
