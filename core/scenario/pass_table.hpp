// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Plan passes: everything that turns the model as its config states it into what a rank runs, in the order it happens. Each can be
/// switched off by itself (`execution.passes`), which gives the plan without it, byte for byte. They are not the forward and backward
/// passes of micro-batches (PassKind, core/order/schedule).
///
/// `chunked_loss` alone is off unless it is switched on.
///
/// Up to `chunked_loss` these are graph passes, over the operator graph of a piece of the model (core/training/rank_work/graph_passes.hpp);
/// backward is derived between `expert_tensor` and `lora`. From `offload` on they add and change what an iteration runs beside the
/// pieces. Precision comes first in that it only marks products; what the marks cost is settled last, when shapes are.
enum class PassId : std::uint8_t {
    precision,
    fusion,
    tensor,
    sequence,
    context,
    expert,
    expert_tensor,
    lora,
    recompute,
    chunked_loss,
    offload,
    pipeline,
    data,
    zero,
    hsdp,
    overlap,
};

struct PassInfo {
    PassId id;
    const char* name; ///< its key in `execution.passes`
    const char* does; ///< one sentence
    const char* off;  ///< what a plan is without it, one sentence
};

/// All plan passes in their order.
const std::vector<PassInfo>& passTable();

const PassInfo& passInfo(PassId id);
std::optional<PassId> findPass(std::string_view name);

/// Whether the plan pass is a graph pass, which works on graphs of single pieces; others work on the iteration.
constexpr bool isGraphPass(PassId id) { return id <= PassId::chunked_loss; }

/// Why the plan pass does nothing to this plan, in one sentence; empty when it does something.
std::string whyPassIsIdle(PassId id, const Scenario& scenario);

/// Whether `execution.passes` switches it off.
bool isSwitchedOff(PassId id, const Scenario& scenario);

} // namespace orrery
