// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traced_job/traced_operators.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/kineto_writer.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>

namespace orrery {
namespace {

struct NumberFormat {
    const char* name;
    double bytes;
};

const NumberFormat* numberFormat(const std::string& type) {
    static const std::map<std::string, NumberFormat> formats{{"float", {"float32", 4}}, {"double", {"float64", 8}}, {"long int", {"int64", 8}}, {"long", {"int64", 8}}, {"int", {"int32", 4}}, {"short", {"int16", 2}}, {"short int", {"int16", 2}}, {"c10::Half", {"float16", 2}}, {"c10::BFloat16", {"bfloat16", 2}}, {"unsigned char", {"uint8", 1}}, {"signed char", {"int8", 1}}, {"bool", {"bool", 1}}, {"c10::Float8_e4m3fn", {"float8_e4m3fn", 1}}, {"c10::Float8_e5m2", {"float8_e5m2", 1}}, {"c10::Float8_e4m3fnuz", {"float8_e4m3fnuz", 1}}};
    const auto found = formats.find(type);
    return found == formats.end() ? nullptr : &found->second;
}

bool hasPart(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool isBackwardName(const std::string& name) { return hasPart(name, "autograd::engine::evaluate_function") || hasPart(name, "Backward") || hasPart(name, "_backward"); }

/// Indices of calls by thread and start, those that hold others first.
std::vector<std::uint32_t> outermostFirst(const std::vector<HostCall>& calls) {
    std::vector<std::uint32_t> order(calls.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const HostCall &one = calls[a], &other = calls[b];
        if (one.thread != other.thread) return one.thread < other.thread;
        return one.when.start != other.when.start ? one.when.start < other.when.start : one.when.end > other.when.end;
    });
    return order;
}

} // namespace

std::string formatName(const std::string& type) {
    const NumberFormat* format = numberFormat(type);
    return format != nullptr ? format->name : "";
}

RecordedNode nodeOf(const KinetoTrace& trace, const HostCall& call) {
    RecordedNode node;
    node.name = trace.names[call.name];
    if (call.shapes == HostCall::noShapes) return node;
    for (const ArgumentShape& argument : argumentShapes(trace.shapes[call.shapes])) {
        RecordedArgument given;
        for (const TensorShape& shape : argument) {
            RecordedTensor tensor;
            tensor.shape = shape.dimensions;
            const NumberFormat* format = numberFormat(shape.type);
            tensor.shapeKnown = format != nullptr;
            tensor.elementBytes = format != nullptr ? format->bytes : 0;
            tensor.float8 = hasPart(shape.type, "Float8");
            if (!tensor.isAbsurd()) given.tensors.push_back(std::move(tensor));
        }
        node.inputs.push_back(std::move(given));
    }
    return node;
}

TracedCalls::TracedCalls(const KinetoTrace& trace) {
    known_.resize(trace.threads.size());
    findPhases(trace);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<TracedOperator>> kinds; // by name and shapes
    std::uint32_t thread = ~std::uint32_t{0};
    std::int64_t end = 0; // of the known operator before in the thread
    for (const std::uint32_t index : outermostFirst(trace.operators)) {
        const HostCall& call = trace.operators[index];
        if (call.thread != thread) {
            thread = call.thread;
            end = call.when.start;
        }
        if (call.when.start < end) continue;
        const auto [kind, isNew] = kinds.try_emplace({call.name, call.shapes});
        if (isNew) {
            TracedOperator known;
            known.node = nodeOf(trace, call);
            known.facts = operatorFacts(plainOperatorName(known.node.name));
            const auto mapped = known.facts.what == OperatorClass::collective ? std::nullopt : mapOperator(known.node);
            if (mapped) {
                known.mapped = *mapped;
                kind->second = std::move(known);
            }
        }
        if (!kind->second) continue;
        end = call.when.end;
        known_[thread].push_back({call.when, static_cast<std::uint32_t>(operators_.size())});
        operators_.push_back(*kind->second);
        operators_.back().call = index;
        TracedPhase phase = phaseAt(thread, call.when.start);
        const bool ownBackward = operators_.back().facts.backward || isBackwardName(operators_.back().node.name);
        if (ownBackward) phase = TracedPhase::backward;
        // A backward computes with mm and its own kernels; a whole layer or attention in it is a forward done again.
        const bool forwardKind = operators_.back().facts.what == OperatorClass::attention || operators_.back().node.name == "aten::linear";
        if (phase == TracedPhase::backward && !ownBackward && forwardKind) phase = TracedPhase::recompute;
        operators_.back().phase = phase;
    }
}

void TracedCalls::findPhases(const KinetoTrace& trace) {
    backward_.resize(trace.threads.size());
    optimizer_.resize(trace.threads.size());
    for (const std::uint32_t index : outermostFirst(trace.operators)) {
        const HostCall& call = trace.operators[index];
        std::vector<Span>& spans = backward_[call.thread];
        if (!isBackwardName(trace.names[call.name]) || (!spans.empty() && call.when.start < spans.back().when.end)) continue;
        spans.push_back({call.when, index});
    }
    for (const OtherEvent& event : trace.others)
        if (event.timed && trace.names[event.name].starts_with("Optimizer.step")) optimizer_[event.thread].push_back({event.when, 0});
    for (std::vector<Span>& spans : optimizer_) std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.when.start < b.when.start; });
}

const TracedCalls::Span* TracedCalls::at(const ByThread& spans, std::uint32_t thread, std::int64_t moment) {
    if (thread >= spans.size()) return nullptr;
    const std::vector<Span>& list = spans[thread];
    auto after = std::upper_bound(list.begin(), list.end(), moment, [](std::int64_t when, const Span& span) { return when < span.when.start; });
    if (after == list.begin()) return nullptr;
    const Span& span = *(--after);
    return moment < span.when.end || moment == span.when.start ? &span : nullptr;
}

const TracedOperator* TracedCalls::around(std::uint32_t thread, std::int64_t moment) const {
    const Span* span = at(known_, thread, moment);
    return span != nullptr ? &operators_[span->index] : nullptr;
}

TracedPhase TracedCalls::phaseAt(std::uint32_t thread, std::int64_t moment) const {
    if (at(optimizer_, thread, moment) != nullptr) return TracedPhase::optimizer;
    return at(backward_, thread, moment) != nullptr ? TracedPhase::backward : TracedPhase::forward;
}

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
