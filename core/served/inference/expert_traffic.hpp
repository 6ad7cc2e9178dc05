// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace orrery
