// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/network_fixture.hpp"

#include "core/base/json.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>

namespace orrery::test {
namespace {

ReportLink cable(const std::string& from, const std::string& to, int drawn, bool backward, double capacity, int copies = 1) {
    ReportLink link;
    link.from = from;
    link.to = to;
    link.drawn = drawn;
    link.backward = backward;
    link.capacity = capacity;
    link.copies = copies;
    return link;
}

ReportLink fabric(const std::string& host, bool backward, double capacity, int copies) {
    ReportLink link = cable(host, host, -1, backward, capacity, copies);
    link.kind = LinkKind::scale_up;
    return link;
}

TimedOperator named(const char* name, OperatorKind kind, RankGroup group) {
    TimedOperator timed;
    timed.op.name = name;
    timed.op.phase = Phase::communication;
    timed.op.kind = kind;
    timed.op.group = group;
    timed.op.collective = CollectiveKind::all_gather;
    return timed;
}

} // namespace

std::shared_ptr<const NetworkReport> syntheticNetwork(const ClusterDocument& document, const Timeline& timeline) {
    auto network = std::make_shared<NetworkReport>();
    TrafficPattern tensor, transfer, data;
    tensor.algorithm = "nvls";
    tensor.hops = 1;
    transfer.algorithm = "send";
    transfer.hops = 2;
    data.algorithm = "ring";
    data.hops = 2;
    std::vector<bool> seen(document.nodes().size());
    for (const DrawnLink& link : document.links()) {
        const DrawnNode &from = document.nodes()[static_cast<std::size_t>(link.from)], &to = document.nodes()[static_cast<std::size_t>(link.to)];
        const int copies = link.count * std::max(from.replicas, to.replicas);
        const bool first = !seen[static_cast<std::size_t>(link.from)];
        seen[static_cast<std::size_t>(link.from)] = true;
        for (const bool backward : {false, true}) {
            const auto index = static_cast<std::uint32_t>(network->links.size());
            network->links.push_back(cable(backward ? to.id : from.id, backward ? from.id : to.id, link.index, backward, link.bandwidth * 1e9 * copies, copies));
            const double full = link.bandwidth * 1e9 * copies;
            if (first && !backward) transfer.uses.push_back({index, full * 2e-4, link.bandwidth * 2e5, 1});
            data.uses.push_back({index, full * (0.02 + 0.02 * (link.index % 4)), link.bandwidth * 1e8, 1});
        }
    }
    for (const DrawnNode& node : document.nodes()) {
        if (!node.isHost()) continue;
        for (const bool backward : {false, true}) {
            const auto index = static_cast<std::uint32_t>(network->links.size());
            network->links.push_back(fabric(node.id, backward, 450e9 * node.accelerators(), node.accelerators()));
            tensor.uses.push_back({index, 450e9 * node.accelerators() * 2e-4, 450e9 * 2e-4, 1});
        }
    }
    network->patterns = {tensor, transfer, data};
    std::vector<std::int32_t> row;
    for (const TimedOperator& timed : timeline.operators) {
        const RankGroup group = timed.op.group;
        const bool sends = timed.op.collective != CollectiveKind::none;
        row.push_back(!sends ? -1 : group == RankGroup::tensor ? 0
                                : group == RankGroup::pipeline ? 1
                                                               : 2);
    }
    network->patternOf.assign(timeline.stages.size(), row);
    return network;
}

Json twoHostScenario(int stack) {
    Json scenario = Json::parse(R"({"cluster": {"topology": {"nodes": [
        {"id": "host-0", "kind": "host", "accelerator": "h100-sxm", "count": 8},
        {"id": "host-1", "kind": "host", "accelerator": "h100-sxm", "count": 8},
        {"id": "leaf-0", "kind": "switch"}, {"id": "leaf-1", "kind": "switch"}],
      "links": [
        {"from": "host-0", "to": "leaf-0", "bandwidth_gb_s": 20, "latency_us": 2, "count": 1},
        {"from": "host-0", "to": "leaf-1", "bandwidth_gb_s": 20, "latency_us": 2, "count": 4},
        {"from": "host-1", "to": "leaf-0", "bandwidth_gb_s": 20, "latency_us": 2, "count": 1},
        {"from": "host-1", "to": "leaf-1", "bandwidth_gb_s": 20, "latency_us": 2, "count": 4}]}},
      "view": {"cluster": {"positions": {"host-0": [0, 300], "host-1": [300, 300], "leaf-0": [0, 0], "leaf-1": [300, 0]}}}})");
    if (stack > 1) scenario["cluster"]["topology"]["nodes"][1]["replicas"] = stack;
    return scenario;
}

ResultPtr tenSeconds() {
    auto result = std::make_shared<Result>();
    Timeline& timeline = result->timeline;
    timeline.duration = 10;
    timeline.operators = {named("gather", OperatorKind::collective, RankGroup::tensor), named("send", OperatorKind::send_receive, RankGroup::pipeline)};
    Segment layer, transfer;
    layer.name = "layer";
    layer.duration = 4;
    layer.entries = {{0, 2, 4, StreamKind::within}};
    transfer.name = "send";
    transfer.phase = Phase::communication;
    transfer.duration = 4;
    transfer.entries = {{1, 0, 4, TrainingStream::pipeline}};
    timeline.segments = {layer, transfer};
    StageTimeline stage;
    stage.ranks = "0-15";
    stage.streams = {{StreamKind::compute, {{0, 4, 0, 0, 0, 0}, {4, 8, 0, 1, 0, 0}}}, {StreamKind::within, {}}, {TrainingStream::pipeline, {{5, 9, 1, 0, -1, 0}}}};
    timeline.streamNames = trainingStreamNames();
    timeline.stages = {stage};
    return result;
}

std::shared_ptr<const NetworkReport> tenSecondsNetwork() {
    auto network = std::make_shared<NetworkReport>();
    int drawn = 0;
    for (const char* host : {"host-0", "host-1"})
        for (const char* leaf : {"leaf-0", "leaf-1"}) {
            const int count = leaf == std::string("leaf-0") ? 1 : 4;
            network->links.push_back(cable(host, leaf, drawn, false, 20e9 * count, count));
            network->links.push_back(cable(leaf, host, drawn, true, 20e9 * count, count));
            ++drawn;
        }
    // 0 host-0 → leaf-0, 1 back; 4 host-1 → leaf-0, 5 back; 8 and 9 the fabrics.
    network->links.push_back(fabric("host-0", false, 100e9, 8));
    network->links.push_back(fabric("host-1", false, 100e9, 8));
    TrafficPattern gather, send;
    gather.algorithm = "ring";
    gather.hops = 1;
    gather.uses = {{8, 100e9, 12.5e9, 1}, {9, 100e9, 12.5e9, 1}};
    send.algorithm = "direct";
    send.hops = 2;
    send.uses = {{0, 40e9, 40e9, 1}, {1, 8e9, 8e9, 1}, {4, 8e9, 8e9, 1}, {5, 40e9, 40e9, 1}};
    network->patterns = {gather, send};
    network->patternOf = {{0, 1}};
    return network;
}

} // namespace orrery::test
