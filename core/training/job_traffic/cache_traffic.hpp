// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/network/transfers/transfer_pattern.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

/// An engine instance whose ranks hold keys and values: of a stage's layers, a tensor rank's heads, a context rank's tokens. Each of its
/// attention groups holds those of its own sequences.
struct CacheHolder {
    Parallelism plan;       ///< of the instance
    std::vector<int> ranks; ///< the fabric's, by the instance's own numbering: tensor first, then attention groups, context, pipeline
};

/// What one rank sends another of a sequence's keys and values.
struct CachePart {
    int from = 0, to = 0; ///< ranks of the fabric
    double share = 0;     ///< of all its keys and values, each counted once
};

/// How keys and values of a sequence get from one instance to another, from attention group to attention group. Each rank gets what it is to
/// hold from one that has it. Heads that several of its tensor ranks hold are sent to each of them; where several have them, they take turns.
/// Layers count alike.
std::vector<CachePart> cacheParts(const Architecture& model, const CacheHolder& from, int fromGroup, const CacheHolder& to, int toGroup);

/// These parts as flows, all at once, for any number of bytes. Equal parts advance together.
TransferPattern cachePattern(Router& router, const std::vector<CachePart>& parts);

} // namespace orrery
