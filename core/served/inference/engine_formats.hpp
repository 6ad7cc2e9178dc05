// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/operators/kernel_call.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>

namespace orrery {

/// What a precision means for an engine.
struct EngineFormats {
    MatrixFormat product = MatrixFormat::sixteen_bit;
    WeightStorage storage = WeightStorage::as_multiplied;
    bool expertsAlone = false; ///< the storage is that of routed experts; other weights stay in 16 bit
    CacheFormat cache = CacheFormat::sixteen_bit;
    KernelFormat experts = KernelFormat::bf16; ///< of the routed experts' kernel

    double productWeightBytes() const; ///< of a weight in a product that is quantised
    double expertWeightBytes() const;
    double sentBytes() const; ///< of an element that goes to experts on another rank: quantised before it leaves
};

/// `precision` of the weights, `recipe` of fp8 (empty: the precision's own), `cache` of keys and values; `weightsAlone`: products in 16 bit
/// whatever the weights are.
EngineFormats engineFormats(Precision precision, std::optional<Fp8Recipe> recipe, Precision cache, bool weightsAlone = false);

} // namespace orrery
