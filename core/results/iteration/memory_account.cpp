// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/assemble.hpp"

#include "core/results/iteration/memory_detail.hpp"
#include "core/results/report/memory_holders.hpp"
#include "core/training/memory/static_memory.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/training/stage_memory/fragmentation.hpp"
#include "core/training/stage_memory/state_shares.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery {
namespace {

double& kind(StageMemory& memory, MemoryKind which) { return memory.bytes[static_cast<std::size_t>(which)]; }

/// Writes a stage's samples: the most that each piece of work needs while it runs, and what it leaves.
void writeSamples(const std::vector<WorkMemory>& works, StageTimeline& stage) {
    const std::vector<Span>& spans = stage.streams[static_cast<std::size_t>(StreamKind::compute)].spans;
    stage.memory.reserve(2 * spans.size());
    for (std::size_t i = 0; i < works.size(); ++i) {
        const WorkMemory& work = works[i];
        stage.memory.push_back({spans[i].start, work.kept, work.temporary + work.buffers});
        stage.memory.push_back({spans[i].end, work.after, work.buffersAfter});
    }
    // The optimizer's step needs nothing of its own.
    for (std::size_t i = works.size(); i < spans.size(); ++i) stage.memory.push_back({spans[i].start, works.back().after, works.back().buffersAfter});
}

/// Transformer Engine keeps one 16-bit stand-in for the weight gradients of each shape (get_dummy_wgrad in
/// transformer_engine/pytorch/module/base.py); the router's and the output layer's products are not its.
double standInBytes(const Scenario& scenario, const ModelChunks& chunks, int stage) {
    if (!scenario.execution.profile.cachesWeightGradients || ReplicaPolicy(scenario).unshardsWeights()) return 0;
    std::set<std::pair<double, double>> shapes;
    std::set<const PieceWork*> seen;
    for (const int chunk : chunks.heldBy(stage))
        for (const Unit& unit : chunks.units(chunk))
            if (unit.layer >= 0 && seen.insert(unit.piece).second)
                for (const auto& shape : weightGradientShapes(*unit.piece)) shapes.insert(shape);
    double elements = 0;
    for (const auto& [n, k] : shapes) elements += n * k;
    return 2 * elements;
}

/// When the highest moment of a piece of work begins.
double peakTime(const MemoryDetail& detail, const Timeline& timeline, const StageWork& work, const WorkMemory& memory, const Span& span) {
    double latest = span.start;
    for (int pass = 0; pass < work.count; ++pass) {
        const auto at = static_cast<std::size_t>(pass);
        if (memory.peakOperator[at] < 0) continue;
        const std::vector<double> turns = operatorTurns(timeline.segments[span.segment], detail.segments[work.passes[at].segment].operators);
        if (!turns.empty()) latest = std::max(latest, span.start + turns[static_cast<std::size_t>(memory.peakOperator[at])]);
    }
    return latest;
}

} // namespace

MemoryReport accountMemory(const Scenario& scenario, const Iteration& iteration, Timeline& timeline) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const ModelChunks chunks(scenario, iteration.work, iteration.schedule.placement);
    MemoryReport report;
    report.capacityBytes = scenario.cluster.accelerator.memoryBytes;
    report.detail = memoryDetail(scenario, iteration, chunks);
    const OverheadMemory overhead = overheadMemory(scenario);
    FragmentationModel fragmented(scenario, iteration.work, chunks);
    for (StageTimeline& stage : timeline.stages) {
        const auto index = static_cast<std::size_t>(stage.stage);
        const std::vector<PlacedWork> order = stageOrder(iteration.schedule.stages[index], chunks);
        const UnitBuffers buffers(scenario, iteration.work, chunks, stage.stage, order);
        const std::vector<WorkMemory> works = stageMemory(scenario, iteration.work, iteration.pairs, order, buffers);
        report.detail.works.push_back(worksOf(order));
        report.detail.buffers.push_back(buffers.lives());
        writeSamples(works, stage);

        const auto highest = std::max_element(works.begin(), works.end(), [](const WorkMemory& a, const WorkMemory& b) { return a.peak() < b.peak(); });
        const auto at = static_cast<std::size_t>(highest - works.begin());
        StageMemory account;
        account.stage = stage.stage;
        account.peakTime = peakTime(report.detail, timeline, report.detail.works[index][at], *highest,
                                    stage.streams[static_cast<std::size_t>(StreamKind::compute)].spans[at]);
        const StateSums states = sumOfStates(report.detail, index);
        kind(account, MemoryKind::weights) = states.weights;
        kind(account, MemoryKind::gradients) = states.gradients;
        kind(account, MemoryKind::optimizer_states) = states.optimizerStates;
        const double standIns = standInBytes(scenario, chunks, stage.stage);
        kind(account, MemoryKind::gradients) += standIns;
        kind(account, MemoryKind::activations) = highest->kept;
        kind(account, MemoryKind::temporary) = highest->temporary;
        const std::int32_t slot = slotOf(report.detail, report.detail.works[index][at], at, highest->peakOperator[0]);
        for (const BufferLife& life : buffers.lives())
            if (life.first <= slot && slot <= life.last) kind(account, life.kind) += life.bytes;
        kind(account, MemoryKind::temporary) += profile.workspaceBytes;
        kind(account, MemoryKind::communication_buffers) += profile.bucketBufferBytes;
        double allocated = 0;
        for (double bytes : account.bytes) allocated += bytes;
        const double room = report.capacityBytes - allocated - overhead.communicators - overhead.framework;
        const double fragmentation = profile.fragmentationFraction * allocated +
                                     (profile.cachingAllocator ? fragmented.bytes(stage.stage, iteration.schedule.mostInFlight[index], room) : 0);
        kind(account, MemoryKind::fragmentation) = fragmentation;
        kind(account, MemoryKind::communication_buffers) += overhead.communicators;
        kind(account, MemoryKind::framework) = overhead.framework;
        for (double bytes : account.bytes) account.peakBytes += bytes;
        stage.staticBytes = account.peakBytes - highest->peak();
        report.detail.constants.push_back({{MemoryKind::gradients, "stand-ins for weight gradients", standIns},
                                           {MemoryKind::temporary, "workspaces of products", profile.workspaceBytes},
                                           {MemoryKind::communication_buffers, "gradient bucket", profile.bucketBufferBytes},
                                           {MemoryKind::communication_buffers, "communicators", overhead.communicators},
                                           {MemoryKind::fragmentation, "allocator", fragmentation},
                                           {MemoryKind::framework, "context, libraries, workspaces", overhead.framework}});

        report.peakBytes = std::max(report.peakBytes, account.peakBytes);
        report.allocatedPeakBytes = std::max(report.allocatedPeakBytes, allocated);
        report.reservedPeakBytes = std::max(report.reservedPeakBytes, allocated + fragmentation);
        report.stages.push_back(account);
    }
    return report;
}

} // namespace orrery
