#include "core/network/collectives.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// nccl-tests, doc/PERFORMANCE.md: bus bandwidth over algorithm bandwidth.
double busFactor(CollectiveKind kind, double n) {
    switch (kind) {
    case CollectiveKind::all_reduce: return 2 * (n - 1) / n;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all: return (n - 1) / n;
    case CollectiveKind::send_receive:
    case CollectiveKind::broadcast:
    case CollectiveKind::none: break;
    }
    return 1;
}

} // namespace

CollectiveTime collectiveTime(const GroupPlacement& placement, CollectiveKind kind, double bytes) {
    CollectiveTime result;
    result.algorithm = "none";
    if (placement.ranks < 2 || kind == CollectiveKind::none || !(bytes > 0)) return result;
    const double n = placement.ranks;
    const double g = placement.membersPerDomain;
    const bool several = placement.domains > 1;
    const double up = placement.scaleUpBandwidth;
    const double out = placement.scaleOutBandwidth;
    const double ring = several ? std::min(up, g * out) : up;
    const double step = several ? std::max(placement.scaleUpLatency, placement.scaleOutLatency) : placement.scaleUpLatency;
    switch (kind) {
    case CollectiveKind::all_reduce:
        result.algorithm = "ring";
        result.formula = "2 (n - 1)/n S/W + 2 (n - 1) a";
        result.transfer = 2 * (n - 1) / n * bytes / ring;
        result.latency = 2 * (n - 1) * step;
        break;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
        result.algorithm = "ring";
        result.formula = "(n - 1)/n S/W + (n - 1) a";
        result.transfer = (n - 1) / n * bytes / ring;
        result.latency = (n - 1) * step;
        break;
    case CollectiveKind::broadcast:
        result.algorithm = "ring";
        result.formula = "S/W + (n - 1) a";
        result.transfer = bytes / ring;
        result.latency = (n - 1) * step;
        break;
    case CollectiveKind::all_to_all:
        result.algorithm = "pairwise";
        result.formula = "max((g - 1)/n S/W_up, (n - g)/n S/W_out) + a";
        result.transfer = (several ? g - 1 : n - 1) / n * bytes / up;
        if (several) result.transfer = std::max(result.transfer, (n - g) / n * bytes / out);
        result.latency = step;
        break;
    case CollectiveKind::send_receive:
        result.algorithm = "direct";
        result.formula = "S/W + a";
        result.transfer = bytes / (several ? std::min(up, out) : up);
        result.latency = step;
        break;
    case CollectiveKind::none: break;
    }
    result.time = result.transfer + result.latency;
    result.algorithmBandwidth = bytes / result.time;
    result.busBandwidth = result.algorithmBandwidth * busFactor(kind, n);
    return result;
}

} // namespace orrery
