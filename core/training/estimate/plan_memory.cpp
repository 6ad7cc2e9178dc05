// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/plan_memory.hpp"
#include "core/base/index.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/training/memory/static_memory.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/segments/slowed_segment.hpp"
#include "core/training/stage_memory/stage_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

namespace orrery {
namespace {

/// Times that a repeated part stands at either end of where some are left out: once for what begins or ends within it, and once for who looks at
/// the step
/// before or behind.
constexpr std::size_t keptAtEnd = 2;

struct Repeated {
    std::size_t first = 0, times = 0, period = 0; ///< steps
    int microBatches = 0;                         ///< that each time goes on by
};

bool isAlike(const PipelineStep& a, const PipelineStep& b) { return a.kind == b.kind && a.chunk == b.chunk && a.withNext == b.withNext; }

/// The part about the middle that repeats itself after so many steps.
Repeated repeatedAt(const std::vector<PipelineStep>& steps, std::size_t period) {
    const std::size_t middle = steps.size() / 2;
    Repeated part{middle, 0, period, steps[middle + period].microBatch - steps[middle].microBatch};
    const auto repeats = [&](std::size_t i) {
        return isAlike(steps[i], steps[i + period]) && steps[i + period].microBatch - steps[i].microBatch == part.microBatches;
    };
    if (!repeats(middle)) return part;
    std::size_t last = middle;
    while (part.first > 0 && repeats(part.first - 1)) --part.first;
    while (last + 1 + period < steps.size() && repeats(last + 1)) ++last;
    part.times = (last + 1 - part.first) / period + 1;
    return part;
}

/// Whether each chunk of the stage begins and ends just the micro-batches that the part goes on by.
bool isBalanced(const std::vector<PipelineStep>& steps, const Repeated& part) {
    std::map<int, std::array<int, 3>> passes; // by chunk: forwards, input parts, weight parts
    for (const PipelineStep& step : steps) passes.emplace(step.chunk, std::array<int, 3>{});
    for (std::size_t i = part.first; i < part.first + part.period; ++i) {
        std::array<int, 3>& own = passes[steps[i].chunk];
        const PassKind kind = steps[i].kind;
        own[0] += kind == PassKind::forward;
        own[1] += kind == PassKind::backward || kind == PassKind::backward_input;
        own[2] += kind == PassKind::backward || kind == PassKind::backward_weight;
    }
    return std::all_of(passes.begin(), passes.end(), [&](const auto& chunk) {
        return std::all_of(chunk.second.begin(), chunk.second.end(), [&](int count) { return count == part.microBatches; });
    });
}

} // namespace

std::vector<PipelineStep> settledOrder(const std::vector<PipelineStep>& steps) {
    const std::size_t middle = steps.size() / 2, longest = steps.size() / (2 * keptAtEnd + 1);
    for (std::size_t period = 1; period <= longest && middle + period < steps.size(); ++period) {
        const Repeated part = repeatedAt(steps, period);
        if (part.microBatches <= 0 || part.times <= 2 * keptAtEnd || !isBalanced(steps, part)) continue;
        std::size_t from = part.first + keptAtEnd * period;
        if (steps[from - 1].withNext) ++from; // two that run together stay together
        const std::size_t left = part.times - 2 * keptAtEnd;
        std::vector<PipelineStep> order(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(from));
        order.insert(order.end(), steps.begin() + static_cast<std::ptrdiff_t>(from + left * period), steps.end());
        for (std::size_t i = from; i < order.size(); ++i) order[i].microBatch -= static_cast<int>(left) * part.microBatches;
        return order;
    }
    return steps;
}

namespace {

/// The most bytes of the stage's work at one moment, beside what stays. Pairs that are not in `pairs` yet are added to it and to `paired`, which is `work`
/// where there are any.
double orderPeak(const Scenario& scenario, const RankWork& work, RankWork* paired, PairedSegments& pairs, const ModelChunks& chunks, int stage, const std::vector<PipelineStep>& steps) {
    const std::vector<PlacedWork> order = stageOrder(settledOrder(steps), chunks);
    for (const PlacedWork& placed : order) {
        if (placed.count == 1 || !paired) continue;
        const auto [known, fresh] = pairs.emplace(std::make_pair(segmentOf(placed.passes[0]), segmentOf(placed.passes[1])), 0);
        if (fresh) {
            const auto [one, other] = known->first;
            known->second = paired->add(buildPairSegment(work.segments[one], work.segments[other], segmentOptions(scenario), work.operators));
        }
    }
    const UnitBuffers buffers(scenario, work, chunks, stage, order, false);
    double peak = 0;
    for (const WorkMemory& memory : stageMemory(scenario, work, pairs, order, buffers)) peak = std::max(peak, memory.peak());
    return peak;
}

} // namespace

PlanMemory::StagesWork::StagesWork(GridTimes& grid, int microBatches)
    : work(grid.rankWork()), chunks(grid.scenario(), work->rank(), placementOf(grid.scenario().parallelism.schedule, {grid.scenario().parallelism.pipeline, microBatches, grid.scenario().parallelism.virtualPipeline})) {}

PlanMemory::Sharing PlanMemory::sharing(const PieceTable& table) const {
    const Offload& offload = grid_.scenario().execution.offload;
    return {&table, grid_.scenario().parallelism.zeroStage, offload.weights, offload.activations, offload.optimizer};
}

bool PlanMemory::hasBuffers(const StepGraph& played) const {
    const Scenario& scenario = grid_.scenario();
    const FrameworkProfile& profile = scenario.execution.profile;
    const ReplicaPolicy& policy = grid_.policy();
    return policy.unshardsWeights() || policy.scattersUnits() || profile.keepsBackwardGradients || scenario.execution.offload.any() || (profile.keepsStageOutputs && played.stages > 1) ||
           played.hasPairs;
}

std::vector<double> PlanMemory::allocated(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more) {
    const FrameworkProfile& profile = grid_.scenario().execution.profile;
    const std::vector<double>& peaks = hasBuffers(played) ? bufferedPeaks(known_[sharing(table)], played, more) : tensorPeaks(table, chunks, played, more);
    const ElementBytes each = elementBytes();
    std::vector<double> bytes;
    bytes.reserve(at(played.stages));
    for (int stage = 0; stage < played.stages; ++stage)
        bytes.push_back(states(each, table, chunks, played, stage) + standIns(table, chunks, played, stage) + peaks[at(stage)] + profile.workspaceBytes + profile.bucketBufferBytes);
    return bytes;
}

std::vector<StageEstimate> PlanMemory::stages(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more) {
    const Scenario& scenario = grid_.scenario();
    const FrameworkProfile& profile = scenario.execution.profile;
    const OverheadMemory overhead = overheadMemory(scenario);
    Known& known = known_[sharing(table)];
    const std::vector<double> allocatedBytes = allocated(table, chunks, played, more);
    HolesOfPieces& holes = holesOf(known, played);
    std::optional<StagesWork> work;
    std::vector<StageEstimate> stages;
    stages.reserve(at(played.stages));
    for (int stage = 0; stage < played.stages; ++stage) {
        StageEstimate memory;
        memory.allocated = allocatedBytes[at(stage)];
        const double room = scenario.cluster.accelerator.memoryBytes - memory.allocated - overhead.communicators - overhead.framework;
        memory.reserved = memory.allocated + profile.fragmentationFraction * memory.allocated +
                          (profile.cachingAllocator ? fragmentation(known, holes, work, chunks, played, stage, room) : 0);
        memory.device = memory.reserved + overhead.communicators + overhead.framework;
        stages.push_back(memory);
    }
    return stages;
}

double PlanMemory::least(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more) {
    const FrameworkProfile& profile = grid_.scenario().execution.profile;
    const ElementBytes each = elementBytes();
    const std::vector<double> tensors = leastTensors(table, chunks, played, more);
    double most = 0;
    for (int stage = 0; stage < played.stages; ++stage)
        most = std::max(most, states(each, table, chunks, played, stage) + standIns(table, chunks, played, stage) + tensors[at(stage)]);
    const double allocated = most + profile.workspaceBytes + profile.bucketBufferBytes;
    const OverheadMemory overhead = overheadMemory(grid_.scenario());
    return allocated + profile.fragmentationFraction * allocated + overhead.communicators + overhead.framework;
}

template <typename OnTop> double PlanMemory::mostHeld(const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage, int more, OnTop onTop) {
    const StepGraph::FullMoments& moments = played.fullMoments[at(stage)];
    const std::vector<int>& held = played.held[at(stage)];
    double most = 0;
    for (std::size_t moment = 0; moment < moments.works.size(); ++moment) {
        const int* const inFlight = &moments.inFlight[moment * held.size()];
        const int* const halfDone = &moments.halfDone[moment * held.size()];
        double bytes = onTop(played.passes[played.works[moments.works[moment]].passes[0]]);
        for (std::size_t slot = 0; slot < held.size(); ++slot) {
            const ChunkWork& chunk = chunks[at(held[slot])];
            bytes += (inFlight[slot] + more) * chunk.saved + halfDone[slot] * chunk.leftForWeights;
        }
        most = std::max(most, bytes);
    }
    return most;
}

/// Gives bytes by stage. Activations in host memory count as nothing. A pair counts what it keeps alone, for one of its passes may free what the other needs.
std::vector<double> PlanMemory::leastTensors(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more) {
    std::vector<double> bytes(at(played.stages), 0);
    if (grid_.scenario().execution.offload.activations > 0) return bytes;
    if (!played.hasPairs) return tensorPeaks(table, chunks, played, more);
    for (int stage = 0; stage < played.stages; ++stage) bytes[at(stage)] = mostHeld(chunks, played, stage, more, [](const PassClass&) { return 0.0; });
    return bytes;
}

const std::vector<double>& PlanMemory::tensorPeaks(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more) {
    const std::tuple of(&table, &played, more);
    const std::vector<int>& layout = grid_.scenario().parallelism.layout;
    if (tensors_.of == of && tensors_.layout == layout) return tensors_.bytes;
    tensors_ = {of, layout, {}};
    for (int stage = 0; stage < played.stages; ++stage)
        tensors_.bytes.push_back(mostHeld(chunks, played, stage, more, [&](const PassClass& pass) { return chunks[at(pass.chunk)].rise[at(pass.kind)]; }));
    return tensors_.bytes;
}

/// By stage.
const std::vector<double>& PlanMemory::bufferedPeaks(Known& known, const StepGraph& played, int more) {
    const Scenario& scenario = grid_.scenario();
    // An order with weight parts left over may look different at its end with few micro-batches.
    const int microBatches = played.splits ? scenario.microBatches() : played.microBatchCount + more;
    std::vector<double>& peaks = known.buffered[{scenario.parallelism.layout, &played, microBatches}];
    if (peaks.empty()) {
        const PipelineSchedule schedule = scheduleOf(scenario, microBatches);
        const std::shared_ptr<SharedWork> shared = grid_.rankWork();
        std::optional<RankWork> paired;
        if (played.hasPairs) paired = shared->rank();
        const RankWork& work = paired ? *paired : shared->rank();
        const ModelChunks chunks(scenario, work, schedule.placement);
        PairedSegments pairs;
        for (int i = 0; i < played.stages; ++i) peaks.push_back(orderPeak(scenario, work, paired ? &*paired : nullptr, pairs, chunks, i, schedule.stages[at(i)]));
    }
    return peaks;
}

/// Without buffers or gathers, holes follow from the pieces alone, on whatever grid they are.
HolesOfPieces& PlanMemory::holesOf(Known& known, const StepGraph& played) {
    const FrameworkProfile& profile = grid_.scenario().execution.profile;
    return hasBuffers(played) || profile.outrunsCollectives || profile.flattensGathers ? known.free : grid_.holesOfPieces();
}

/// What the stage's allocator reserves beyond what is allocated, as `FragmentationModel` finds it.
double PlanMemory::fragmentation(Known& known, HolesOfPieces& holes, std::optional<StagesWork>& work, const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage, double room) {
    const bool outruns = grid_.scenario().execution.profile.outrunsCollectives;
    const bool buffers = hasBuffers(played) || outruns;
    auto& [composition, together] = composition_;
    together = std::min(played.mostInFlight[at(stage)], 2) + (outruns && grid_.scenario().microBatches() > 1 ? 2 : 0);
    composition.clear();
    for (const int chunk : played.held[at(stage)])
        for (const PieceRun& run : chunks[at(chunk)].runs) {
            composition.push_back(run.piece);
            composition.push_back(buffers ? run.count : std::min(run.count, 2));
        }
    const auto run = [&](double left) {
        if (!work) work.emplace(grid_, played.microBatchCount);
        return FragmentationModel(grid_.scenario(), work->work->rank(), work->chunks).bytes(stage, played.mostInFlight[at(stage)], left);
    };
    auto free = holes.find(composition_);
    if (free == holes.end()) free = holes.emplace(composition_, run(std::numeric_limits<double>::infinity())).first;
    // Only a device that is nearly full makes the allocator give back.
    if (free->second <= room || room <= 0) return free->second;
    const auto [limited, unknown] = known.limited.try_emplace({grid_.scenario().parallelism.layout, &played, stage, room});
    if (unknown) limited->second = run(room);
    return limited->second;
}

PlanMemory::ElementBytes PlanMemory::elementBytes() const {
    const Scenario& scenario = grid_.scenario();
    const ReplicaPolicy& policy = grid_.policy();
    const bool comeAndGo = policy.unshardsWeights();
    ElementBytes each;
    for (std::size_t i = 0; i < each.trained.size(); ++i) {
        const StateBytes bytes = stateBytes(scenario, policy, i >= 2 ? policy.expertReplicas() : policy.sharders(), i % 2 != 0);
        each.trained[i] = bytes.weights + (comeAndGo ? 0 : bytes.gradients) + bytes.optimizerStates;
    }
    each.frozen = {frozenBytes(scenario, policy, false), frozenBytes(scenario, policy, true)};
    each.quantisedDense = quantisedExtraBytes(scenario, policy, policy.sharders());
    each.quantisedExperts = quantisedExtraBytes(scenario, policy, policy.expertReplicas());
    return each;
}

double PlanMemory::states(const ElementBytes& each, const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage) {
    double bytes = 0;
    std::array<double, 4> elements{};
    for (const int chunk : played.held[at(stage)])
        for (const PieceRun& run : chunks[at(chunk)].runs)
            for (std::size_t i = 0; i < elements.size(); ++i) elements[i] += run.count * table.piece(run.piece).stateElements[i];
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (elements[i] > 0) bytes += elements[i] * each.trained[i];
    for (const int chunk : played.held[at(stage)])
        for (const PieceRun& run : chunks[at(chunk)].runs) {
            const PieceNumbers& piece = table.piece(run.piece);
            const bool isLayer = run.piece != PieceTable::embedding && run.piece != PieceTable::head;
            bytes += run.count * (piece.frozenElements * each.frozen[isLayer ? 1 : 0] + piece.quantisedElements * each.quantisedDense + piece.quantisedRouted * each.quantisedExperts);
        }
    return bytes;
}

double PlanMemory::standIns(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage) const {
    if (!grid_.scenario().execution.profile.cachesWeightGradients || grid_.policy().unshardsWeights()) return 0;
    // Mostly all layers of a stage are of one kind.
    int only = -1;
    bool several = false;
    for (const int chunk : played.held[at(stage)])
        for (const PieceRun& run : chunks[at(chunk)].runs) {
            if (run.piece == PieceTable::embedding || run.piece == PieceTable::head) continue;
            several = several || (only >= 0 && only != run.piece);
            only = run.piece;
        }
    double elements = 0;
    if (!several) {
        if (only >= 0)
            for (const auto& [n, k] : table.piece(only).gradientShapes) elements += n * k;
        return 2 * elements;
    }
    std::set<std::pair<double, double>> shapes;
    for (const int chunk : played.held[at(stage)])
        for (const PieceRun& run : chunks[at(chunk)].runs)
            if (run.piece != PieceTable::embedding && run.piece != PieceTable::head)
                shapes.insert(table.piece(run.piece).gradientShapes.begin(), table.piece(run.piece).gradientShapes.end());
    for (const auto& [n, k] : shapes) elements += n * k;
    return 2 * elements;
}

} // namespace orrery
