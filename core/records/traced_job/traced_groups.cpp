// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traced_job/traced_groups.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace orrery {
namespace {

std::string plainWords(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return c == ' ' ? '_' : static_cast<char>(std::tolower(c)); });
    return text;
}

/// Megatron-LM describes its groups so (parallel_state.py), torch's DeviceMesh as mesh_ and the dimension's name.
bool describes(const std::string& description, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return description == name; });
}

void readDescriptions(const KinetoTrace& trace, TracedGroups& groups) {
    for (const ProcessGroup& group : trace.groups) {
        const std::string description = plainWords(group.description);
        const std::int64_t size = group.size > 0 ? group.size : static_cast<std::int64_t>(group.ranks.size());
        if (size < 1 || (trace.rank && !group.ranks.empty() && std::find(group.ranks.begin(), group.ranks.end(), *trace.rank) == group.ranks.end())) continue;
        const auto set = [&](TracedGroups::Degree& degree) {
            if (degree.ranks == 0) degree = {size, "The record's group \"" + group.description + "\" has " + std::to_string(size) + " ranks."};
        };
        if (describes(description, {"tensor_model_parallel_group", "mesh_tp", "tp", "tensor_parallel_group"})) set(groups.tensor);
        else if (describes(description, {"pipeline_model_parallel_group", "mesh_pp", "pp", "pipeline_parallel_group"})) set(groups.pipeline);
        else if (describes(description, {"context_parallel_group", "mesh_cp", "cp"})) set(groups.context);
        else if (describes(description, {"expert_model_parallel_group", "mesh_ep", "ep", "expert_parallel_group"})) set(groups.expert);
    }
}

void readCommunication(const KinetoTrace& trace, const TracedCalls& calls, TracedGroups& groups) {
    std::unordered_map<std::int64_t, const HostCall*> launches;
    for (const HostCall& call : trace.runtimeCalls)
        if (call.correlation >= 0) launches[call.correlation] = &call;
    for (const DeviceEvent& event : trace.device) {
        if (!event.communication) continue;
        const CollectiveKind kind = collectiveCalled(trace.names[event.name]);
        const auto launch = launches.find(event.correlation);
        const bool forward = launch == launches.end() || calls.phaseAt(launch->second->thread, launch->second->when.start) == TracedPhase::forward;
        groups.sends = groups.sends || kind == CollectiveKind::send_receive;
        groups.scatters = groups.scatters || kind == CollectiveKind::reduce_scatter;
        groups.forwardCommunicates = groups.forwardCommunicates || (forward && kind != CollectiveKind::broadcast); // data-parallel ranks broadcast buffers
        groups.gathersInForward = groups.gathersInForward || (forward && kind == CollectiveKind::all_gather);
    }
}

} // namespace

TracedGroups tracedGroups(const KinetoTrace& trace, const TracedCalls& calls) {
    TracedGroups groups;
    readDescriptions(trace, groups);
    readCommunication(trace, calls, groups);
    if (!groups.forwardCommunicates && !groups.sends)
        for (TracedGroups::Degree* degree : {&groups.tensor, &groups.pipeline, &groups.context, &groups.expert})
            if (degree->ranks == 0) *degree = {1, "No forward communicates and nothing is sent from rank to rank."};
    return groups;
}

} // namespace orrery
