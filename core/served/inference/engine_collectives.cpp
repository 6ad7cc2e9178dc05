// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/engine_collectives.hpp"

#include "core/operators/kernel_times.hpp"

#include <algorithm>

namespace orrery {

double engineCollective(const EngineModel& engine, CollectiveKind kind, int ranks, int stride, double bytes) {
    if (ranks < 2 || !(bytes > 0)) return 0;
    const EngineNetwork& network = engine.network;
    LibraryRequest request;
    request.kind = kind;
    request.ranks = ranks;
    request.membersPerDomain = std::clamp(network.domainSize / std::max(1, stride), 1, ranks);
    request.domains = (ranks + request.membersPerDomain - 1) / request.membersPerDomain;
    request.bytes = bytes;
    request.upBandwidth = network.upBandwidth;
    request.addedUpLatency = network.addedUpLatency;
    request.outBandwidth = network.outBandwidth;
    request.outLatency = network.outLatency;
    double time = chooseAlgorithm(network.library, request).time;
    if (kind == CollectiveKind::all_reduce && request.domains == 1 && engine.profile.serving.customAllReduce && engine.cost.kernelTimes) {
        KernelCall call;
        call.kind = KernelKind::custom_allreduce;
        call.format = KernelFormat::bf16;
        call.sizes = {double(ranks), bytes};
        const auto own = engine.cost.kernelTimes->time(call);
        if (own && own->beyond <= 0) time = std::min(time, own->seconds);
    }
    return time;
}

double farthestSend(const EngineModel& engine, double bytes) {
    const bool reachesOver = engine.network.outBandwidth > 0;
    return engineCollective(engine, CollectiveKind::send_receive, 2, reachesOver ? engine.network.domainSize : 1, bytes);
}

double collectiveLatency(const EngineModel& engine, CollectiveKind kind, int ranks, int stride) {
    return engineCollective(engine, kind, ranks, stride, smallestCollective);
}

} // namespace orrery
