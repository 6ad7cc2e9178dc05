// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/operators/kernel_call.hpp"

#include <optional>

namespace orrery {

/// A call of a kind that is measured in tables, and how many times its duration an operator takes.
struct EquivalentCall {
    KernelCall call;
    double times = 1;
    /// What a chunk does over the cache besides: another call, and how many times its duration. 0: nothing.
    KernelCall overCache;
    double overCacheTimes = 0;
};

/// The table's call that does an operator's work. Nothing where no table has its kind: unfused attention, products in fp32, everything
/// that is no product.
///
/// - A backward of fused attention makes the scores again: 5 products where forward has 2 (Dao 2023, section 3.1), all at forward's rate.
/// - Attention is called by its mode, with the cache's number format: prompts as context_attention or context_mla, decodes as
///   generation_attention or, where they meet latents, generation_mla. Tokens of a sequence that speculation verifies together are rows
///   of the same kernel as further query heads are.
/// - A chunk is the prompt of its own tokens and, no mask between them, its queries over the cached keys: as many pairs as share out
///   whole prompts of chunk and cache, at the rate of those.
/// - With fewer queries than keys (context parallelism, balanced over the ranks) it is that share of the whole causal square.
/// - A product for each of `batch` experts is one over all their rows; what partial tiles cost on top is the caller's to add.
std::optional<EquivalentCall> equivalentCall(const Operator& op);

} // namespace orrery
