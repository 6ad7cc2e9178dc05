// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/memory/liveness.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

constexpr int never = -2;

struct Use {
    int first = never;
    int last = never;
    bool read = false;
};

std::vector<Use> usesOf(const Graph& graph, const std::vector<Operator>& operators) {
    std::vector<Use> uses(graph.tensors.size());
    for (int i = 0; i < static_cast<int>(operators.size()); ++i) {
        const Operator& op = operators[static_cast<std::size_t>(i)];
        for (TensorId id : op.inputs) {
            Use& use = uses[static_cast<std::size_t>(id)];
            // Read before anything here wrote it: it came in from outside, unless the operator itself makes it.
            const bool ownScratch = std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end();
            if (use.first == never) use.first = ownScratch ? i : 0;
            use.last = i;
            use.read = true;
        }
        for (const std::vector<TensorId>* written : {&op.outputs, &op.saved}) {
            for (TensorId id : *written) {
                Use& use = uses[static_cast<std::size_t>(id)];
                if (use.first == never) use.first = i;
                use.last = i;
            }
        }
    }
    return uses;
}

/// Bytes on a real device are whole.
double wholeBytes(double bytes) { return std::ceil(bytes); }

} // namespace

std::vector<TensorLife> tensorLives(const Graph& graph, const std::vector<Operator>& operators, const std::vector<bool>& aliveBefore,
                                    const std::vector<bool>& keptAfter) {
    const int end = static_cast<int>(operators.size());
    const std::vector<Use> uses = usesOf(graph, operators);
    std::vector<TensorLife> lives;
    for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
        const Use& use = uses[id];
        const bool before = aliveBefore[id], kept = keptAfter[id];
        if (use.first == never && !before && !kept) continue;
        if (graph.tensors[id].bytes <= 0) continue;
        TensorLife life;
        life.tensor = static_cast<TensorId>(id);
        life.bytes = wholeBytes(graph.tensors[id].bytes);
        // What a part passes on untouched is a neighbour's: there from the start.
        life.first = before ? TensorLife::before : std::max(use.first, 0);
        life.last = kept || !use.read ? end - 1 : use.last;
        life.keptAfter = kept;
        lives.push_back(life);
    }
    return lives;
}

std::vector<bool> savedTensors(const Graph& graph) {
    std::vector<bool> saved(graph.tensors.size(), false);
    for (const Operator& op : graph.forward)
        for (TensorId id : op.saved) saved[static_cast<std::size_t>(id)] = true;
    return saved;
}

PieceMemory pieceMemory(const Graph& graph, const std::vector<Operator>& operators, const std::vector<bool>& aliveBefore,
                        const std::vector<bool>& keptAfter) {
    PieceMemory memory;
    memory.lives = tensorLives(graph, operators, aliveBefore, keptAfter);
    memory.operators = static_cast<int>(operators.size());
    memory.kept.resize(graph.tensors.size());
    for (std::size_t id = 0; id < memory.kept.size(); ++id) memory.kept[id] = aliveBefore[id] || keptAfter[id];

    std::vector<double> change(operators.size() + 1, 0), keptChange(change.size(), 0);
    double before = 0, after = 0;
    for (const TensorLife& life : memory.lives) {
        const bool isKept = memory.kept[static_cast<std::size_t>(life.tensor)];
        const auto add = [&](int index, double bytes) {
            change[static_cast<std::size_t>(index)] += bytes;
            if (isKept) keptChange[static_cast<std::size_t>(index)] += bytes;
        };
        if (!life.isAliveBefore()) add(life.first, life.bytes);
        if (!life.keptAfter) add(life.last + 1, -life.bytes);
        if (life.isAliveBefore()) before += life.bytes;
        if (life.keptAfter) after += life.bytes;
    }
    memory.change = after - before;
    memory.saved = before > 0 ? -memory.change : memory.change;
    OperatorPeak now;
    for (now.at = 0; now.at < memory.operators; ++now.at) {
        now.bytes += change[static_cast<std::size_t>(now.at)];
        now.kept += keptChange[static_cast<std::size_t>(now.at)];
        const bool isLast = now.at + 1 == memory.operators;
        if (now.at == 0 || (!isLast && now.bytes > memory.beforeLast.bytes)) memory.beforeLast = now;
        if (isLast) memory.atLast = now;
    }
    memory.peak = std::max(memory.beforeLast.bytes, memory.atLast.bytes);
    return memory;
}

PieceMemory forwardMemory(const Graph& graph) {
    const std::vector<bool> nothing(graph.tensors.size(), false);
    return pieceMemory(graph, graph.forward, nothing, savedTensors(graph));
}

PieceMemory backwardMemory(const Graph& graph) {
    const std::vector<bool> nothing(graph.tensors.size(), false);
    return pieceMemory(graph, graph.backward, savedTensors(graph), nothing);
}

SplitBackwardMemory splitBackwardMemory(const Graph& graph) {
    std::array<std::vector<Operator>, 2> parts;
    for (const Operator& op : graph.backward) parts[op.weightPart ? 1 : 0].push_back(op);
    std::vector<bool> made(graph.tensors.size(), false), left(graph.tensors.size(), false);
    for (const Operator& op : parts[1])
        for (TensorId id : op.outputs) made[static_cast<std::size_t>(id)] = true;
    for (const Operator& op : parts[1])
        for (TensorId id : op.inputs) left[static_cast<std::size_t>(id)] = !made[static_cast<std::size_t>(id)];
    const std::vector<bool> nothing(graph.tensors.size(), false);
    return {pieceMemory(graph, parts[0], savedTensors(graph), left), pieceMemory(graph, parts[1], left, nothing)};
}

} // namespace orrery
