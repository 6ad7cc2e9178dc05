// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/serving_metrics.hpp"
#include "core/scenario/serving_workload.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// What a load is counted in.
enum class LoadKind { rate,    ///< requests/s that arrive, whatever becomes of them
                      users }; ///< who each send the next request when their last has ended

struct OfferedLoad {
    LoadKind kind = LoadKind::rate;
    double value = 0;
};

/// The load of a workload. Nothing where it has none to vary: requests that were recorded, or that come all at once.
std::optional<OfferedLoad> offeredLoad(const ServingWorkload& workload);
/// The same requests under another load of the same kind; only where there is one.
ServingWorkload underLoad(ServingWorkload workload, double load);

/// What a request waits for before its first token.
enum class WaitsFor { cache,     ///< blocks of keys and values
                      sequences, ///< a place among the requests of a step
                      tokens,    ///< room among the tokens of a step
                      step };    ///< the end of the step under way

/// Mean seconds of waiting, by what it is for.
using Waits = std::array<double, 4>;

/// A scenario's figures under one load.
struct LoadPoint {
    double load = 0;
    double outputTokensPerSecondPerAccelerator = 0;
    ServingMetrics served;
    double cachePeak = 0;    ///< largest share of an instance's blocks in use, of those that decode
    Waits waits{};           ///< of the mean request
    double waitingShare = 0; ///< of the mean TTFT
};

/// How a knee shows.
enum class KneeSign { ttft,       ///< its 99th percentile is beyond the service level's limit
                      tpot,       ///< likewise
                      e2e,        ///< likewise
                      cache_full, ///< half of the requests wait for blocks, or one in a hundred loses them
                      queueing }; ///< half of the requests wait longer than they are worked on before their first token

/// The first load that is too much.
struct Knee {
    std::size_t point = 0; ///< of the curve
    KneeSign sign = KneeSign::queueing;
    std::optional<WaitsFor> waitsFor; ///< what the mean wait grew by most since the load before; nothing: it did not grow
};
/// `points` stand by rising load. A limit of the service level comes before what only shows how the engine is.
std::optional<Knee> kneeOf(const std::vector<LoadPoint>& points, const ServiceLevel& level);

/// One scenario under many loads.
struct LoadCurve {
    OfferedLoad present; ///< the scenario's own
    ServiceLevel level;
    std::vector<LoadPoint> points; ///< by rising load
    std::optional<Knee> knee;
    bool complete = false; ///< no further point comes
};
using LoadCurvePtr = std::shared_ptr<const LoadCurve>;

} // namespace orrery
