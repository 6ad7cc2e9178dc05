// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/graph_difference.hpp"

#include "core/model/transformer_graph.hpp"

#include <map>
#include <tuple>

namespace orrery {
namespace {

using Key = std::tuple<std::string, Phase, int>;

struct Listed {
    std::vector<Key> order;
    std::map<Key, const Operator*> byKey;
};

Listed listed(const Graph& graph) {
    Listed list;
    std::map<std::pair<std::string, Phase>, int> seen;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            const Key key{op.name, op.phase, seen[{op.name, op.phase}]++};
            list.order.push_back(key);
            list.byKey[key] = &op;
        }
    return list;
}

double bytesOf(const Graph& graph, const std::vector<TensorId>& ids) {
    double bytes = 0;
    for (const TensorId id : ids) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

std::string phaseWord(const Operator& op) {
    return std::string(toString(op.kind == OperatorKind::collective ? Phase::communication : op.phase));
}

std::vector<std::string> changedAttributes(const Graph& before, const Operator& a, const Graph& after, const Operator& b) {
    std::vector<std::string> names;
    const auto note = [&](bool same, const char* name) {
        if (!same) names.emplace_back(name);
    };
    note(a.kind == b.kind, "kind");
    note(a.shape.m == b.shape.m && a.shape.n == b.shape.n && a.shape.k == b.shape.k && a.shape.batch == b.shape.batch, "shape");
    note(a.flops == b.flops, "flops");
    note(a.bytesRead == b.bytesRead && a.bytesWritten == b.bytesWritten, "bytes");
    note(a.weights == b.weights && a.replicatedWeights == b.replicatedWeights, "weights");
    note(a.format == b.format, "format");
    note(a.collective == b.collective && a.backwardCollective == b.backwardCollective && a.group == b.group, "collective");
    note(a.messageBytes == b.messageBytes, "message");
    note(a.kernels == b.kernels, "kernels");
    note(a.inputs.size() == b.inputs.size() && bytesOf(before, a.inputs) == bytesOf(after, b.inputs), "inputs");
    note(a.outputs.size() == b.outputs.size() && bytesOf(before, a.outputs) == bytesOf(after, b.outputs), "outputs");
    note(a.saved.size() == b.saved.size() && bytesOf(before, a.saved) == bytesOf(after, b.saved), "saved");
    return names;
}

void addSums(const Graph& graph, double sign, PieceEffect& effect) {
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            effect.flops += sign * op.flops;
            effect.messageBytes += sign * op.messageBytes;
            if (op.kind != OperatorKind::collective) effect.bytes += sign * (op.bytesRead + op.bytesWritten);
        }
    effect.savedBytes += sign * savedBytes(graph);
}

} // namespace

PieceEffect difference(const Graph& before, const Graph& after) {
    PieceEffect effect;
    effect.piece = after.name;
    const Listed was = listed(before), is = listed(after);
    for (const Key& key : was.order)
        if (!is.byKey.contains(key)) effect.changes.push_back({ChangeKind::removed, std::get<0>(key), phaseWord(*was.byKey.at(key)), {}});
    for (const Key& key : is.order) {
        const auto known = was.byKey.find(key);
        const Operator& op = *is.byKey.at(key);
        if (known == was.byKey.end()) {
            effect.changes.push_back({ChangeKind::added, op.name, phaseWord(op), {}});
            continue;
        }
        std::vector<std::string> attributes = changedAttributes(before, *known->second, after, op);
        if (!attributes.empty()) effect.changes.push_back({ChangeKind::changed, op.name, phaseWord(op), std::move(attributes)});
    }
    addSums(after, 1, effect);
    addSums(before, -1, effect);
    return effect;
}

} // namespace orrery
