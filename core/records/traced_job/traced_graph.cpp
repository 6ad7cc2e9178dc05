// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traced_job/traced_graph.hpp"

#include "core/base/json.hpp"
#include "core/records/ranks/beside_record.hpp"
#include "core/records/ranks/device_graph.hpp"
#include "core/records/ranks/rank_record.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace orrery {
namespace {

/// The last whole step of the profiler; all of the record where it has none.
std::optional<OtherEvent> lastStep(const KinetoTrace& trace) {
    std::optional<OtherEvent> last;
    for (const OtherEvent& event : trace.others)
        if (event.timed && event.lasting && trace.names[event.category] == "user_annotation" && trace.names[event.name].starts_with("ProfilerStep") && (!last || event.when.start > last->when.start)) last = event;
    return last;
}

std::string shortKernelName(std::string name) {
    if (name.starts_with("void ")) name.erase(0, 5);
    const std::size_t end = name.find_first_of("<(", name.starts_with("(") ? 1 : 0);
    if (end != std::string::npos && end > 0) name.resize(end);
    std::replace(name.begin(), name.end(), '.', '_');
    constexpr std::size_t longest = 80;
    if (name.size() > longest) name.resize(longest);
    return "kernel::" + (name.empty() ? "unnamed" : name);
}

/// By names whose first argument is what the rank gives; null: nobody knows what it does.
const char* collectiveName(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::all_reduce: return "_c10d_functional::all_reduce";
    case CollectiveKind::all_gather: return "_c10d_functional::all_gather_into_tensor";
    case CollectiveKind::reduce_scatter: return "_c10d_functional::reduce_scatter_tensor";
    case CollectiveKind::all_to_all: return "_c10d_functional::all_to_all_single";
    case CollectiveKind::broadcast: return "_c10d_functional::broadcast";
    case CollectiveKind::send_receive: return "c10d::send";
    case CollectiveKind::none: break;
    }
    return nullptr;
}

Json inputsOf(const RecordedNode& node) {
    Json inputs = Json::array();
    const auto tensorJson = [](const RecordedTensor& tensor) {
        const char* format = tensor.float8 ? "float8_e4m3fn" : tensor.elementBytes == 8 ? "int64"
                                                           : tensor.elementBytes == 4   ? "float32"
                                                           : tensor.elementBytes == 2   ? "bfloat16"
                                                                                        : "uint8";
        return Json{{"shape", tensor.shape}, {"dtype", format}};
    };
    for (const RecordedArgument& argument : node.inputs) {
        Json list = Json::array();
        for (const RecordedTensor& tensor : argument.tensors)
            if (tensor.shapeKnown) list.push_back(tensorJson(tensor));
        inputs.push_back(list.size() == 1 ? list.front() : list.empty() ? Json()
                                                                        : list);
    }
    while (!inputs.empty() && inputs.back().is_null()) inputs.erase(inputs.size() - 1);
    return inputs;
}

const char* phaseWord(TracedPhase phase) {
    switch (phase) {
    case TracedPhase::forward: return "forward";
    case TracedPhase::backward: return "backward";
    case TracedPhase::recompute: return "recompute";
    case TracedPhase::optimizer: return "optimizer";
    }
    return "forward";
}

class GraphMaker {
public:
    GraphMaker(const KinetoTrace& trace, const TracedCalls& calls) : trace_(trace), calls_(calls), messages_(recordOf(trace, "").messages), ofStepBefore_(launchedBefore(trace)), nodeOfEvent_(trace.device.size(), none) {
        for (const HostCall& call : trace.runtimeCalls)
            if (call.correlation >= 0) launches_[call.correlation] = &call;
        const std::vector<std::uint32_t> order = communicationOrder(trace);
        for (std::uint32_t i = 0; i < order.size(); ++i) placeOf_[order[i]] = i;
    }

    TracedGraph run() {
        auto step = lastStep(trace_);
        if (step && !anyLaunchedIn(step->when)) step.reset(); // a step that records only its end launches nothing
        if (step) graph_.step = trace_.names[step->name];
        const DeviceGraph device = deviceGraph(trace_);
        for (std::size_t i = 0; i < device.nodes.size(); ++i) {
            const std::uint32_t event = device.nodes[i].deviceEvent;
            if (event == DeviceGraph::noEvent || ofStepBefore_[event] || (step && !launchedIn(event, step->when))) continue;
            std::vector<std::uint32_t> waits;
            const std::size_t end = i + 1 < device.nodes.size() ? device.nodes[i + 1].firstEdge : device.edges.size();
            for (std::size_t e = device.nodes[i].firstEdge; e < end; ++e) {
                const std::uint32_t before = device.nodes[device.edges[e].from].deviceEvent;
                if (before != DeviceGraph::noEvent && trace_.device[before].communication != trace_.device[event].communication && nodeOfEvent_[before] != none) waits.push_back(nodeOfEvent_[before]);
            }
            add(event, waits);
        }
        graph_.nodes = std::move(nodes_);
        return std::move(graph_);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    const HostCall* launchOf(std::uint32_t event) const {
        const auto launch = launches_.find(trace_.device[event].correlation);
        return launch == launches_.end() ? nullptr : launch->second;
    }
    bool anyLaunchedIn(const Interval& step) const {
        for (std::uint32_t event = 0; event < trace_.device.size(); ++event)
            if (!ofStepBefore_[event] && launchedIn(event, step)) return true;
        return false;
    }
    bool launchedIn(std::uint32_t event, const Interval& step) const {
        const HostCall* launch = launchOf(event);
        const std::int64_t moment = launch != nullptr ? launch->when.start : trace_.device[event].when.start;
        return step.start <= moment && moment < step.end;
    }

    void add(std::uint32_t event, const std::vector<std::uint32_t>& waits) {
        ++graph_.kernels;
        const DeviceEvent& done = trace_.device[event];
        const HostCall* launch = launchOf(event);
        const TracedOperator* op = launch != nullptr && !done.communication ? calls_.around(launch->thread, launch->when.start) : nullptr;
        const double microseconds = static_cast<double>(done.when.end - done.when.start) / 1e3;
        if (op != nullptr && op->call == lastCall_ && waits.empty()) { // a further kernel of the same operator
            nodeOfEvent_[event] = lastNode_;
            nodes_[lastNode_]["duration_us"] = nodes_[lastNode_]["duration_us"].get<double>() + microseconds;
            return;
        }
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        Json node = {{"name", "n" + std::to_string(number)}, {"duration_us", microseconds}};
        if (done.communication) describeCollective(event, node);
        else describeKernel(event, op, node);
        if (launch != nullptr) node["phase"] = op != nullptr ? phaseWord(op->phase) : phaseWord(calls_.phaseAt(launch->thread, launch->when.start));
        const bool unsized = done.communication && node["inputs"].empty(); // with an argument it would be taken for a message of that size
        for (const std::uint32_t before : waits)
            if (!unsized) node["inputs"].push_back("n" + std::to_string(before));
        node["outputs"] = {{{"shape", Json::array()}, {"dtype", "uint8"}}}; // what waits for it names it
        nodeOfEvent_[event] = number;
        nodes_.push_back(std::move(node));
        lastCall_ = op != nullptr ? op->call : none;
        lastNode_ = number;
    }
    void describeCollective(std::uint32_t event, Json& node) {
        const CollectiveMessage& message = messages_[placeOf_.at(event)];
        const char* name = collectiveName(message.kind);
        node["target"] = name != nullptr ? std::string(name) : shortKernelName(trace_.names[trace_.device[event].name]);
        const std::int64_t ranks = std::max<std::int64_t>(1, trace_.worldSize.value_or(1));
        const std::int64_t own = message.kind == CollectiveKind::all_gather ? message.bytes / ranks : message.bytes;
        node["inputs"] = Json::array();
        if (name != nullptr && message.bytes >= 0) node["inputs"].push_back({{"shape", {own}}, {"dtype", "uint8"}});
        else ++graph_.unsized;
    }
    void describeKernel(std::uint32_t event, const TracedOperator* op, Json& node) {
        const DeviceEvent& done = trace_.device[event];
        if (op == nullptr) {
            ++graph_.shapeless;
            node["target"] = done.work == DeviceWork::copy ? "kernel::memcpy" : done.work == DeviceWork::set ? "kernel::memset"
                                                                                                             : shortKernelName(trace_.names[done.name]);
            node["inputs"] = Json::array();
            return;
        }
        node["target"] = plainOperatorName(op->node.name);
        node["inputs"] = inputsOf(op->node);
    }

    const KinetoTrace& trace_;
    const TracedCalls& calls_;
    std::vector<CollectiveMessage> messages_;
    std::vector<bool> ofStepBefore_;
    std::vector<std::uint32_t> nodeOfEvent_;
    std::unordered_map<std::int64_t, const HostCall*> launches_;
    std::map<std::uint32_t, std::uint32_t> placeOf_; ///< a communication kernel's among those
    TracedGraph graph_;
    Json nodes_ = Json::array();
    std::uint32_t lastCall_ = none, lastNode_ = none;
};

} // namespace

TracedGraph tracedGraph(const KinetoTrace& trace, const TracedCalls& calls) { return GraphMaker(trace, calls).run(); }

} // namespace orrery
