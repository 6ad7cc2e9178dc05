// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/scenario/pass_table.hpp"

#include <string>
#include <vector>

namespace orrery {

enum class ChangeKind : std::uint8_t { added,
                                       removed,
                                       changed };
std::string_view toString(ChangeKind kind);

/// What a plan pass did to one operator of a piece.
struct OperatorChange {
    ChangeKind kind = ChangeKind::changed;
    std::string name;                    ///< of the operator
    std::string phase;                   ///< as the result's `operations` name it
    std::vector<std::string> attributes; ///< of a changed one: "shape", "flops", "bytes", "format", …
};

/// What a plan pass did to a kind of piece: "embedding", "layer", "next_token", "head"; or to "iteration", all that runs beside them.
/// Numbers are differences on one rank: of a piece for one micro-batch, of the iteration for all, mean over stages.
struct PieceEffect {
    std::string piece;
    int count = 1; ///< how many of it the model has
    std::vector<OperatorChange> changes;
    double flops = 0;
    double bytes = 0;        ///< DRAM traffic
    double messageBytes = 0; ///< given to collectives and transfers, as nccl-tests counts
    double savedBytes = 0;   ///< kept from forward to backward
    double parameters = 0;   ///< held by the rank
};

/// What one pass of the plan adds. The effects of all passes in their order lead from the model as its config states it to what
/// runs: each is seen against the passes before it.
struct PassEffect {
    PassId pass = PassId::precision;
    bool isOn = true;                ///< false: switched off
    std::string whyIdle;             ///< why it does nothing here; empty when it does something
    std::vector<PieceEffect> pieces; ///< those that it did something to

    int count(ChangeKind kind) const; ///< operators over all kinds of pieces, each kind once
};

/// `[{"pass", "does", "on", "idle", "added", "removed", "changed", "pieces": […]}]`, in the passes' order.
Json toJson(const std::vector<PassEffect>& effects);

} // namespace orrery
