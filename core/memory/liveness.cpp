#include "core/memory/liveness.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace orrery {
namespace {

std::vector<bool> savedTensors(const Graph& graph) {
    std::vector<bool> saved(graph.tensors.size(), false);
    for (const Operator& op : graph.forward)
        for (TensorId id : op.saved) saved[static_cast<std::size_t>(id)] = true;
    return saved;
}

/// Peak of the running sum over `operators`. `aliveBefore` tensors count 0 at the start and give their bytes back when freed;
/// `keptAfter` tensors are never freed here.
double peakOver(const Graph& graph, const std::vector<Operator>& operators, const std::vector<bool>& aliveBefore,
                const std::vector<bool>& keptAfter) {
    constexpr int never = -1;
    const int end = static_cast<int>(operators.size());
    std::vector<int> firstUse(graph.tensors.size(), never);
    std::vector<int> lastUse(graph.tensors.size(), never);
    std::vector<bool> read(graph.tensors.size(), false);
    for (int i = 0; i < end; ++i) {
        const auto use = [&](TensorId id) {
            const auto index = static_cast<std::size_t>(id);
            if (firstUse[index] == never) firstUse[index] = i;
            lastUse[index] = i;
        };
        const Operator& op = operators[static_cast<std::size_t>(i)];
        for (TensorId id : op.inputs) {
            const auto index = static_cast<std::size_t>(id);
            // Read before anything here wrote it: it came in from outside.
            if (firstUse[index] == never) firstUse[index] = 0;
            lastUse[index] = i;
            read[index] = true;
        }
        for (TensorId id : op.outputs) use(id);
        for (TensorId id : op.saved) use(id);
    }

    std::vector<double> change(static_cast<std::size_t>(end) + 1, 0);
    for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
        if (firstUse[id] == never) continue;
        if (!aliveBefore[id]) change[static_cast<std::size_t>(firstUse[id])] += graph.tensors[id].bytes;
        // What nobody reads is handed to the neighbouring piece: alive to the end.
        if (!keptAfter[id] && read[id]) change[static_cast<std::size_t>(lastUse[id]) + 1] -= graph.tensors[id].bytes;
    }
    double now = 0;
    double peak = 0;
    for (int i = 0; i < end; ++i) {
        now += change[static_cast<std::size_t>(i)];
        peak = std::max(peak, now);
    }
    return peak;
}

double bytesOf(const Graph& graph, const std::vector<bool>& which) {
    double bytes = 0;
    for (std::size_t id = 0; id < which.size(); ++id)
        if (which[id]) bytes += graph.tensors[id].bytes;
    return bytes;
}

} // namespace

PieceMemory forwardMemory(const Graph& graph) {
    const std::vector<bool> saved = savedTensors(graph);
    const std::vector<bool> nothing(graph.tensors.size(), false);
    return {peakOver(graph, graph.forward, nothing, saved), bytesOf(graph, saved)};
}

PieceMemory backwardMemory(const Graph& graph) {
    const std::vector<bool> saved = savedTensors(graph);
    const std::vector<bool> nothing(graph.tensors.size(), false);
    return {peakOver(graph, graph.backward, saved, nothing), bytesOf(graph, saved)};
}

SplitBackwardMemory splitBackwardMemory(const Graph& graph) {
    std::array<std::vector<Operator>, 2> parts;
    for (const Operator& op : graph.backward) parts[op.weightPart ? 1 : 0].push_back(op);
    const std::vector<bool> saved = savedTensors(graph);
    std::vector<bool> made(graph.tensors.size(), false), left(graph.tensors.size(), false);
    for (const Operator& op : parts[1])
        for (TensorId id : op.outputs) made[static_cast<std::size_t>(id)] = true;
    for (const Operator& op : parts[1])
        for (TensorId id : op.inputs) left[static_cast<std::size_t>(id)] = !made[static_cast<std::size_t>(id)];
    const std::vector<bool> nothing(graph.tensors.size(), false);
    const double kept = bytesOf(graph, left);
    return {{peakOver(graph, parts[0], saved, left), bytesOf(graph, saved) - kept}, {peakOver(graph, parts[1], left, nothing), kept}};
}

} // namespace orrery
