#include "core/simulation/assemble.hpp"

#include "core/memory/static_memory.hpp"

#include <algorithm>

namespace orrery {
namespace {

double& kind(StageMemory& memory, MemoryKind which) { return memory.bytes[static_cast<std::size_t>(which)]; }

/// ZeRO-3 holds the running piece's 16-bit weights and the next one's whole, and one piece's gradients before they are scattered.
double gatheredBytes(const Scenario& scenario, const Iteration& iteration) {
    if (scenario.parallelism.zeroStage < 3 || scenario.parallelism.replicas() == 1) return 0;
    const FrameworkProfile& profile = scenario.execution.profile;
    const RankWork& work = iteration.work;
    double layer = 0;
    for (const PieceWork& piece : work.layers) layer = std::max(layer, piece.elements + piece.frozenElements + piece.expertElements);
    const double largest = std::max({work.embedding.elements + work.embedding.frozenElements, layer, work.head.elements + work.head.frozenElements});
    return largest * (profile.gatheredWeightBytes + profile.gradientReduceBytes) + layer * profile.gatheredWeightBytes;
}

/// What a segment does to memory; zero for communication and the optimizer.
struct SegmentMemory {
    double peak = 0;  ///< beyond what is kept
    double change = 0;
};

std::vector<SegmentMemory> memoryBySegment(const Iteration& iteration) {
    const RankWork& work = iteration.work;
    std::vector<SegmentMemory> memory(work.segments.size());
    std::vector<const PieceWork*> pieces{&work.embedding, &work.head};
    for (const PieceWork& layer : work.layers) pieces.push_back(&layer);
    if (work.nextToken) pieces.push_back(&*work.nextToken);
    for (const PieceWork* piece : pieces) {
        memory[piece->forwardSegment] = {piece->forwardMemory.peak, piece->forwardMemory.saved};
        memory[piece->backwardSegment] = {piece->backwardMemory.peak, -piece->backwardMemory.saved};
        if (piece->backwardInputSegment == piece->backwardWeightSegment) continue; // one whole backward
        memory[piece->backwardInputSegment] = {piece->backwardInputMemory.peak, -piece->backwardInputMemory.saved};
        memory[piece->backwardWeightSegment] = {piece->backwardWeightMemory.peak, -piece->backwardWeightMemory.saved};
    }
    // Two that run together may both be at their peaks.
    for (const auto& [both, pair] : iteration.pairs)
        memory[pair] = {memory[both.first].peak + memory[both.second].peak, memory[both.first].change + memory[both.second].change};
    return memory;
}

/// By stage: the model's segment of each span of its compute stream.
std::vector<std::vector<std::uint32_t>> computeSegments(const Iteration& iteration) {
    std::vector<std::vector<std::uint32_t>> segments(iteration.stageElements.size());
    for (const TaskInfo& task : iteration.tasks)
        if (iteration.isShown(task) && task.stream == StreamKind::compute) segments[static_cast<std::size_t>(task.stage)].push_back(task.segment);
    return segments;
}

} // namespace

MemoryReport accountMemory(const Scenario& scenario, const Iteration& iteration, Timeline& timeline) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const std::vector<SegmentMemory> bySegment = memoryBySegment(iteration);
    const std::vector<std::vector<std::uint32_t>> modelSegments = computeSegments(iteration);
    MemoryReport report;
    report.capacityBytes = scenario.cluster.accelerator.memoryBytes;
    for (StageTimeline& stage : timeline.stages) {
        const StaticMemory fixed = staticMemory(scenario, iteration.stageElements[static_cast<std::size_t>(stage.stage)],
                                                iteration.stageFrozenElements[static_cast<std::size_t>(stage.stage)],
                                                iteration.stageExpertElements[static_cast<std::size_t>(stage.stage)]);
        const double gathered = gatheredBytes(scenario, iteration);
        const std::vector<Span>& spans = stage.streams[static_cast<std::size_t>(StreamKind::compute)].spans;
        const std::vector<std::uint32_t>& models = modelSegments[static_cast<std::size_t>(stage.stage)];
        stage.memory.reserve(2 * spans.size());
        MemorySample peak;
        double kept = 0;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const Span& span = spans[i];
            const SegmentMemory& memory = bySegment[models[i]];
            const MemorySample during{span.start, kept, memory.peak};
            if (during.activations + during.temporary > peak.activations + peak.temporary) peak = during;
            kept += memory.change;
            stage.memory.push_back(during);
            stage.memory.push_back({span.end, kept, 0});
        }

        StageMemory account;
        account.stage = stage.stage;
        account.peakTime = peak.time;
        kind(account, MemoryKind::weights) = fixed.weights;
        kind(account, MemoryKind::gradients) = fixed.gradients;
        kind(account, MemoryKind::optimizer_states) = fixed.optimizerStates;
        kind(account, MemoryKind::activations) = peak.activations;
        kind(account, MemoryKind::temporary) = peak.temporary;
        kind(account, MemoryKind::communication_buffers) = gathered;
        double allocated = 0;
        for (double bytes : account.bytes) allocated += bytes;
        const double fragmentation = profile.fragmentationFraction * allocated;
        kind(account, MemoryKind::fragmentation) = fragmentation;
        kind(account, MemoryKind::communication_buffers) += fixed.communicationBuffers;
        kind(account, MemoryKind::framework) = fixed.framework;
        for (double bytes : account.bytes) account.peakBytes += bytes;
        stage.staticBytes = account.peakBytes - peak.activations - peak.temporary;

        report.peakBytes = std::max(report.peakBytes, account.peakBytes);
        report.allocatedPeakBytes = std::max(report.allocatedPeakBytes, allocated);
        report.reservedPeakBytes = std::max(report.reservedPeakBytes, allocated + fragmentation);
        report.stages.push_back(account);
    }
    return report;
}

} // namespace orrery
