// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/timed_operator.hpp"
#include "core/served/inference/engine_formats.hpp"
#include "core/served/inference/engine_model.hpp"

namespace orrery {

/// The library that sends an engine's tokens once to every rank that holds one of their experts. Null where every rank gathers all tokens:
/// experts that are not whole, ranks in several scale-up domains, a profile that names no such library, or one whose library wants a domain
/// that reaches over hosts (the Grace systems' NVLink memory) on a platform without.
const ExchangeLibrary* expertExchange(const EngineModel& engine);

/// Seconds of both ways, of `tokens` that each attention group's ranks hold together: operands in the products' format on the way there, sums
/// in 16 bit on the way back.
struct ExchangeTimes {
    double dispatch = 0, combine = 0;
};
ExchangeTimes exchangeTimes(const EngineModel& engine, const EngineFormats& formats, const ExchangeLibrary& library, double tokens);

inline constexpr const char* routedExpertsName = "moe.experts";

/// Places for experts of a layer over all ranks: one an expert, and those that hold copies.
double expertSlots(const EngineModel& engine);

/// How many times an expert is held; mean over experts.
double copiesOfExperts(const EngineModel& engine);

/// A rank's routed experts for `tokens` that enter the layer over all ranks of its experts' group, as one operator: the choice, both (or all
/// three) matrices, activation, sum. Experts are shared out over `parallelism.expert` ranks, each one's matrices over the rest of tensor ×
/// attentionData. Traffic: the matrices of experts that are hit, each expert as likely to be chosen as another, and each of its copies.
Operator routedExperts(const EngineModel& engine, const EngineFormats& formats, double tokens);

/// Bytes of the matrices in it, of experts that are hit.
double hitWeightBytes(const EngineModel& engine, const EngineFormats& formats, double tokens);

/// Its time by the table of such kernels; by products, one expert's rows each, where no table knows them.
TimedOperator timedExperts(const EngineModel& engine, const EngineFormats& formats, double tokens);

} // namespace orrery
