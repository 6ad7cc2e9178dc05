// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/engine_model.hpp"

namespace orrery {

/// Seconds of a collective among the first `ranks` of an instance that stand `stride` apart: the library's choice (core/catalog/collectives), or
/// the framework's own all-reduce where it has one, its table knows the size, and it is faster. `bytes` as nccl-tests counts.
double engineCollective(const EngineModel& engine, CollectiveKind kind, int ranks, int stride, double bytes);

/// Seconds that `bytes` take from one accelerator of `engine` to another: between scale-up domains where it reaches over several.
double farthestSend(const EngineModel& engine, double bytes);

/// Bytes: where tables of small messages begin.
inline constexpr double smallestCollective = 1024;
/// The part of it that no smaller message saves.
double collectiveLatency(const EngineModel& engine, CollectiveKind kind, int ranks, int stride);

} // namespace orrery
