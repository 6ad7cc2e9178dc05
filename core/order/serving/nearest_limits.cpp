// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/nearest_limits.hpp"

#include <algorithm>
#include <limits>

namespace orrery {

std::optional<ServiceLimits> nearestLimits(const RequestList& requests, const std::vector<RequestRecord>& records, const ServiceLimits& limits) {
    if (!limits.any()) return std::nullopt;
    double least = std::numeric_limits<double>::infinity();
    std::optional<ServiceLimits> nearest;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const RequestRecord& record = records[i];
        if (!record.isCompleted()) continue;
        ServiceLimits kept;
        double factor = 1;
        const auto keep = [&](std::optional<double>& own, const std::optional<double>& limit, double seconds) {
            if (!limit) return;
            own = std::max(*limit, seconds);
            factor = std::max(factor, *own / *limit);
        };
        keep(kept.ttft, limits.ttft, record.firstToken - record.arrival);
        keep(kept.e2e, limits.e2e, record.finish - record.arrival);
        keep(kept.tpot, limits.tpot, tpotOf(requests.requests[i], record).value_or(0));
        if (factor <= 1) return std::nullopt;
        if (factor >= least) continue;
        least = factor;
        nearest = kept;
    }
    return nearest;
}

} // namespace orrery
