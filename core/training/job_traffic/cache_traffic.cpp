// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/cache_traffic.hpp"

#include "core/catalog/collectives/library.hpp"

#include <algorithm>
#include <map>

namespace orrery {
namespace {

/// From where to where of something of length 1.
struct Extent {
    double begin = 0, end = 1;
};

double common(const Extent& a, const Extent& b) { return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin)); }

Extent partOf(int index, int parts) { return {double(index) / parts, double(index + 1) / parts}; }

/// The layers of each stage: the plan's, else as many each.
std::vector<Extent> stagesOf(const Parallelism& plan, double layers) {
    std::vector<Extent> stages;
    double before = 0;
    for (int stage = 0; stage < plan.pipeline; ++stage) {
        if (plan.layout.size() != static_cast<std::size_t>(plan.pipeline)) {
            stages.push_back(partOf(stage, plan.pipeline));
            continue;
        }
        const double end = before + plan.layout[static_cast<std::size_t>(stage)];
        stages.push_back({before / layers, end / layers});
        before = end;
    }
    return stages;
}

/// Who of an instance has which heads. A latent is one head, which every tensor rank has.
struct HeadShares {
    int heads, tensor;
    int copies() const { return std::max(1, tensor / heads); } ///< ranks that have the same
    Extent of(int rank) const { return tensor <= heads ? partOf(rank, tensor) : partOf(std::min(heads - 1, rank / copies()), heads); }
};

int rankAt(const CacheHolder& holder, int tensor, int group, int context, int stage) {
    const Parallelism& plan = holder.plan;
    const int place = tensor + plan.tensor * (group + plan.attentionData * (context + plan.context * stage));
    return holder.ranks[static_cast<std::size_t>(place)];
}

} // namespace

std::vector<CachePart> cacheParts(const Architecture& model, const CacheHolder& from, int fromGroup, const CacheHolder& to, int toGroup) {
    const int heads = model.latent ? 1 : std::max(1, static_cast<int>(model.kvHeads));
    const HeadShares had{heads, from.plan.tensor}, wanted{heads, to.plan.tensor};
    const std::vector<Extent> fromStages = stagesOf(from.plan, double(model.layers)), toStages = stagesOf(to.plan, double(model.layers));
    std::vector<CachePart> parts;
    for (int stage = 0; stage < to.plan.pipeline; ++stage)
        for (int context = 0; context < to.plan.context; ++context)
            for (int tensor = 0; tensor < to.plan.tensor; ++tensor)
                for (int fromStage = 0; fromStage < from.plan.pipeline; ++fromStage) {
                    const double layers = common(toStages[static_cast<std::size_t>(stage)], fromStages[static_cast<std::size_t>(fromStage)]);
                    for (int fromContext = 0; layers > 0 && fromContext < from.plan.context; ++fromContext) {
                        const double tokens = common(partOf(context, to.plan.context), partOf(fromContext, from.plan.context));
                        for (int fromTensor = 0; tokens > 0 && fromTensor < from.plan.tensor; ++fromTensor) {
                            if (fromTensor % had.copies() != tensor % had.copies()) continue; // another of those that have the same sends it
                            constexpr double rounding = 1e-9;                                 // of thirds and the like
                            const double share = layers * tokens * common(wanted.of(tensor), had.of(fromTensor));
                            if (share < rounding * layers * tokens / heads) continue;
                            parts.push_back({rankAt(from, fromTensor, fromGroup, fromContext, fromStage), rankAt(to, tensor, toGroup, context, stage), share});
                        }
                    }
                }
    return parts;
}

TransferPattern cachePattern(Router& router, const std::vector<CachePart>& parts) {
    TransferPattern pattern;
    pattern.algorithm = wordOf(CollectiveWay::direct);
    PatternPhase phase;
    std::map<double, std::map<FlowLink, double>> crossings; // of equal parts
    for (const CachePart& part : parts) {
        const Way way = router.way(part.from, part.to);
        if (!way.found) {
            if (pattern.connected) pattern.cutFrom = part.from, pattern.cutTo = part.to;
            pattern.connected = false;
        }
        phase.latency = std::max(phase.latency, way.latency);
        pattern.hops = std::max(pattern.hops, way.hops);
        std::map<FlowLink, double>& links = crossings[part.share];
        for (const WayLink& link : way.links) links[link.link] += link.share;
    }
    for (const auto& [share, links] : crossings) {
        PatternFlows flows;
        flows.bytesPerByte = share;
        for (const auto& [link, count] : links) flows.uses.push_back({link, count});
        phase.flows.push_back(std::move(flows));
    }
    pattern.phases.push_back(std::move(phase));
    return pattern;
}

} // namespace orrery
