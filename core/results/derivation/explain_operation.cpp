// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_operation.hpp"
#include "core/results/derivation/explain_engine.hpp"
#include "core/results/derivation/pointer_place.hpp"
#include "core/training/cost/operator_cost.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

const char* countsWhat(const Result& result) { return result.training() ? "instances, mean per accelerator and iteration" : "instances, mean per accelerator"; }

const TimedOperator* firstOf(const Result& result, const std::string& name) {
    const std::vector<TimedOperator>& operators = result.timeline.operators;
    const auto found = std::find_if(operators.begin(), operators.end(), [&name](const TimedOperator& timed) { return timed.op.name == name; });
    return found == operators.end() ? nullptr : &*found;
}

Quantity ofCollective(const TimedOperator& timed) {
    return {timed.op.name, timed.time, "s", timed.source, "what it takes alone on its links: its call, the ways of its steps, its bytes at the rate of the slowest", "closed forms: core/network/transfers/pattern_maker.hpp", {derived("message", timed.op.messageBytes, "bytes", "what a rank sends, in the format of the tensor")}};
}

Quantity timeOfRow(const Result& result, const OperationRow& row) {
    Quantity total = derived(row.kind, row.time, "s", "count × time of one");
    total.source = row.source;
    total.inputs.push_back(derived("count", row.count, "1", countsWhat(result)));
    const TimedOperator* const timed = firstOf(result, row.kind);
    const bool isCollective = timed && timed->op.collective != CollectiveKind::none;
    if (timed && !isCollective && result.scenario.recorded()) {
        const bool recorded = timed->source == Source::measured;
        total.formula = "all instances together";
        total.inputs.push_back({"the first", timed->time, "s", timed->source, recorded ? "" : "what its shapes take at the rates of its number format", recorded ? "duration in the recorded graph" : "shapes in the recorded graph", {}});
        return total;
    }
    Quantity one = derived("time of one", row.count > 0 ? row.time / row.count : 0, "s", "mean over its instances");
    if (timed) one.inputs.push_back(isCollective ? ofCollective(*timed) : explainOperatorTime(costModelOf(result.scenario), timed->op));
    total.inputs.push_back(std::move(one));
    return total;
}

} // namespace

std::optional<Quantity> explainOperation(const Result& result, const std::vector<std::string>& tokens) {
    const auto place = tokens.size() >= 2 ? placeIn(tokens[1], result.operations.size()) : std::nullopt;
    if (!place) return std::nullopt;
    const OperationRow& row = result.operations[*place];
    const std::string member = tokens.size() == 3 ? tokens[2] : "time_s";
    if (member == "time_s") return timeOfRow(result, row);
    if (member == "count") return derived(row.kind + ", count", row.count, "1", countsWhat(result));
    if (member == "flops") return derived(row.kind + ", FLOPs", row.flops, "FLOP", "sum over its instances: two for each product and sum, by the shapes of its matrices");
    if (member == "bytes") return derived(row.kind + ", bytes", row.bytes, "bytes", "sum over its instances of what it reads and writes, of a collective the message");
    return std::nullopt;
}

namespace {

using Inputs = std::vector<Quantity>;

const char* memoryFormula(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return "parameters that the rank holds, as they are stored between iterations; at ZeRO-3 its share of them";
    case MemoryKind::gradients: return "gradients in the buffer that the optimizer reads; from ZeRO-2 its share of them";
    case MemoryKind::optimizer_states: return "moments and master copies of the parameters that the rank steps over; from ZeRO-1 its share of them";
    case MemoryKind::activations: return "tensors that forward keeps for backward, alive at the peak";
    case MemoryKind::kv_cache: return "cached keys and values";
    case MemoryKind::temporary: return "tensors alive only inside the piece running at the peak";
    case MemoryKind::communication_buffers: return "gathered weights of ZeRO-3 and communicators";
    case MemoryKind::fragmentation: return "reserved by the caching allocator beyond what is allocated";
    case MemoryKind::framework: return "context, libraries and workspaces, from the framework profile";
    }
    return "";
}

Quantity stageMemory(const Result& result, std::size_t stage, bool withNone = false) {
    const StageMemory& memory = result.memory.stages[stage];
    Inputs kinds;
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        const auto which = static_cast<MemoryKind>(kind);
        if (memory.bytes[kind] == 0 && !withNone) continue;
        const bool engine = !result.training();
        const bool before = result.scenario.recorded() && which <= MemoryKind::optimizer_states;
        Quantity entry = derived(std::string(toString(which)), memory.bytes[kind], "bytes",
                                 before ? "recorded tensors that are there before the iteration, by the phase that first touches them" : engine ? engineMemoryFormula(result.scenario, which)
                                                                                                                                                : memoryFormula(which));
        const bool assumed = which == MemoryKind::fragmentation || which == MemoryKind::framework;
        if (assumed) entry.source = Source::assumed;
        kinds.push_back(std::move(entry));
    }
    if (!result.training()) return derived("peak memory of the fullest accelerator", memory.peakBytes, "bytes", "sum of what it holds when the cache is as full as it gets", std::move(kinds));
    return derived("peak memory of stage " + std::to_string(stage), memory.peakBytes, "bytes", "sum of what is alive at the peak",
                   std::move(kinds));
}

std::size_t fullestStage(const Result& result) {
    std::size_t fullest = 0;
    for (std::size_t i = 1; i < result.memory.stages.size(); ++i)
        if (result.memory.stages[i].peakBytes > result.memory.stages[fullest].peakBytes) fullest = i;
    return fullest;
}

Quantity ofCapacity(const Result& result, double bytes) {
    return {"capacity", bytes, "bytes", Source::given, "what the driver reports of an accelerator", result.scenario.cluster.accelerator.citation.source, {}};
}

/// PyTorch's count, on the rank where the figure is largest.
std::optional<Quantity> explainStored(const StoredActivations& stored, const std::vector<std::string>& tokens) {
    constexpr const char* paper = "Korthikanti et al. 2022, section 4";
    if (tokens.size() == 3 && tokens[2] == "layer_bytes") return derived("activations of a layer", stored.layerBytes, "bytes", "tensors that its forward keeps for backward, of a micro-batch, mean over the layers", {}, paper);
    const auto stage = tokens.size() == 4 && tokens[2] == "stage_peak_bytes" ? placeIn(tokens[3], stored.stagePeakBytes.size()) : std::nullopt;
    if (!stage) return std::nullopt;
    return derived("kept activations of stage " + tokens[3], stored.stagePeakBytes[*stage], "bytes", "of all micro-batches under way, at the moment when they are most", {derived("of a layer and micro-batch, mean", stored.layerBytes, "bytes", "tensors that its forward keeps for backward", {}, paper)}, paper);
}

} // namespace

std::optional<Quantity> explainMemory(const Result& result, const std::vector<std::string>& tokens) {
    const MemoryReport& memory = result.memory;
    if (memory.stages.empty() || tokens.size() < 2) return std::nullopt;
    const std::string& name = tokens[1];
    if (name == "capacity_bytes") return ofCapacity(result, memory.capacityBytes);
    if (name == "stored_activations") return explainStored(result.stored, tokens);
    if (tokens.size() == 2) {
        Quantity peak = stageMemory(result, fullestStage(result));
        if (name == "allocated_peak_bytes") return derived(name, memory.allocatedPeakBytes, "bytes", "most that tensors take at one moment, of the fullest rank: what torch.cuda.max_memory_allocated counts", {std::move(peak)});
        if (name == "reserved_peak_bytes") return derived(name, memory.reservedPeakBytes, "bytes", "most that the caching allocator holds, of the fullest rank: what torch.cuda.max_memory_reserved counts", {std::move(peak)});
        return name == "peak_bytes" ? std::optional(std::move(peak)) : std::nullopt;
    }
    const auto stage = name == "stages" ? placeIn(tokens[2], memory.stages.size()) : std::nullopt;
    if (!stage) return std::nullopt;
    Quantity whole = stageMemory(result, *stage, true);
    if (tokens.size() < 4 || tokens[3] == "peak_bytes") return stageMemory(result, *stage);
    if (tokens[3] == "stage") return derived("stage", double(*stage), "1", "its number along the pipeline, from 0");
    if (tokens[3] == "peak_time_s") return derived("peak_time_s", memory.stages[*stage].peakTime, "s", "into the iteration, when the stage holds most", {stageMemory(result, *stage)});
    for (Quantity& kind : whole.inputs)
        if (kind.name == tokens[3]) return kind;
    return std::nullopt;
}

std::optional<Quantity> explainOutOfMemory(const Result& result, const OutOfMemory& out, const std::vector<std::string>& tokens) {
    if (tokens.size() == 2 && tokens[1] == "stage") return derived("stage", out.stage, "1", "that needs most, from 0");
    if (tokens.size() == 2 && tokens[1] == "needed_bytes") return derived("needed memory", out.neededBytes, "bytes", result.training() ? "peak of the stage that needs most" : "weights, a full step and software of the fullest accelerator, and a block of the cache", {stageMemory(result, fullestStage(result))});
    if (tokens.size() == 2 && tokens[1] == "capacity_bytes") return result.training() ? ofCapacity(result, out.capacityBytes) : derived("memory that the engine may take", out.capacityBytes, "bytes", "capacity × share that the engine takes", {ofCapacity(result, result.memory.capacityBytes), derived("share that the engine takes", out.capacityBytes / result.memory.capacityBytes, "1", "", {}, "/workload/engine/gpu_memory_utilization")});
    const auto place = tokens.size() >= 4 && tokens[1] == "mends" ? placeIn(tokens[2], out.mends.size()) : std::nullopt;
    if (!place) return std::nullopt;
    const TriedMend& mend = out.mends[*place];
    const std::string how = mend.simulated ? "simulated with the change" : "estimated with the change";
    if (tokens.size() == 4 && tokens[3] == "peak_bytes") return derived("peak memory with " + mend.text, mend.peakBytes, "bytes", how);
    if (tokens.size() == 4 && tokens[3].ends_with("_s")) return derived("time with " + mend.text, mend.iterationTime, "s", how);
    return std::nullopt;
}

} // namespace orrery
