// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/beside_record.hpp"
#include "core/base/json.hpp"
#include "core/model/recorded/operator_map.hpp"
#include "core/scenario/rank_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_set>

namespace orrery {

std::vector<bool> launchedBefore(const KinetoTrace& trace) {
    std::unordered_set<std::int64_t> launches;
    for (const HostCall& call : trace.runtimeCalls)
        if (call.correlation >= 0) launches.insert(call.correlation);
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> first(trace.streams.size(), never); // start of the first launched one, by stream
    const auto isLaunched = [&](const DeviceEvent& event) { return event.correlation >= 0 && launches.contains(event.correlation); };
    for (const DeviceEvent& event : trace.device)
        if (isLaunched(event) && event.when.start < first[event.stream]) first[event.stream] = event.when.start;
    std::vector<bool> before(trace.device.size(), false);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const DeviceEvent& event = trace.device[i];
        before[i] = first[event.stream] != never && !isLaunched(event) && event.when.start < first[event.stream];
    }
    return before;
}

namespace {

enum OperatorClassPlace : std::size_t { products_place,
                                        attention_place,
                                        optimizer_place,
                                        communication_place,
                                        others_place };

std::size_t placeOfKind(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm:
    case OperatorKind::grouped_gemm: return products_place;
    case OperatorKind::attention:
    case OperatorKind::softmax: return attention_place;
    case OperatorKind::optimizer:
    case OperatorKind::gradient_norm: return optimizer_place;
    case OperatorKind::collective:
    case OperatorKind::send_receive: return communication_place;
    default: return others_place;
    }
}

int stageOfRank(const Parallelism& plan, std::int64_t wanted) {
    const RankGrid grid(plan);
    for (int stage = 0; stage < plan.pipeline; ++stage) {
        const std::vector<int> ranks = grid.stageRanks(stage);
        if (std::any_of(ranks.begin(), ranks.end(), [&](int rank) { return rank == wanted; })) return stage;
    }
    return 0;
}

void addSimulated(const Result& result, BesideRecord& beside) {
    const Timeline& timeline = result.timeline;
    beside.simulatedSpan = timeline.duration;
    for (const StreamKind stream : streamKinds(timeline))
        forEachOperator(timeline, beside.stage, stream, -1, timeline.duration + 1, [&](const OperatorInstance& instance) {
            OperatorClassTimes& to = beside.classes[placeOfKind(timeline.operators[instance.op].op.kind)];
            to.simulated += instance.end - instance.start;
            ++to.simulatedKernels;
        });
}

void addRecorded(const Result& result, const KinetoTrace& trace, BesideRecord& beside) {
    std::map<std::string, OperatorKind> simulated;
    for (const TimedOperator& timed : result.timeline.operators) simulated.emplace(timed.op.name, timed.op.kind);
    std::vector<std::size_t> placeOfName;
    placeOfName.reserve(trace.names.size());
    for (const std::string& name : trace.names) {
        const auto known = simulated.find(name);
        placeOfName.push_back(placeOfKind(known != simulated.end() ? known->second : kernelKind(name).value_or(OperatorKind::residual)));
    }
    std::vector<Interval> device;
    device.reserve(trace.device.size());
    const std::vector<bool> ofStepBefore = launchedBefore(trace);
    for (std::size_t i = 0; i < trace.device.size(); ++i) {
        const DeviceEvent& event = trace.device[i];
        if (ofStepBefore[i]) continue;
        device.push_back(event.when);
        OperatorClassTimes& to = beside.classes[event.communication ? std::size_t{communication_place} : event.work != DeviceWork::kernel ? std::size_t{others_place}
                                                                                                                                          : placeOfName[event.name]];
        to.recorded += static_cast<double>(event.when.end - event.when.start) / 1e9 / static_cast<double>(beside.steps);
        const bool isMark = event.work != DeviceWork::kernel && event.when.end == event.when.start; // says when something begins or ends
        if (!isMark) ++to.recordedKernels;
    }
    beside.recordedSpan = static_cast<double>(spanOf(device)) / 1e9 / static_cast<double>(beside.steps);
}

Json errorJson(double simulated, double recorded) { return recorded > 0 ? Json(100 * (simulated / recorded - 1)) : Json(); }

} // namespace

const OperatorClassTimes& BesideRecord::of(const std::string& name) const {
    return *std::find_if(classes.begin(), classes.end(), [&](const OperatorClassTimes& one) { return one.name == name; });
}

BesideRecord besideRecord(const Result& result, const KinetoTrace& trace) {
    BesideRecord beside;
    for (const char* name : {"matrix products", "attention", "optimizer", "communication", "other kernels"}) beside.classes.push_back({name, 0, 0, 0, 0});
    beside.steps = std::max<std::size_t>(1, trace.profilerSteps.size());
    if (trace.rank) beside.stage = stageOfRank(result.scenario.parallelism, *trace.rank);
    addSimulated(result, beside);
    addRecorded(result, trace, beside);
    return beside;
}

Json besideDocument(const BesideRecord& beside) {
    Json classes = Json::array();
    for (const OperatorClassTimes& one : beside.classes)
        classes.push_back({{"class", one.name}, {"recorded_s", one.recorded}, {"simulated_s", one.simulated}, {"error_percent", errorJson(one.simulated, one.recorded)}, {"recorded_kernels", one.recordedKernels}, {"simulated_kernels", one.simulatedKernels}});
    return {{"format", "orrery-beside/1"}, {"stage", beside.stage}, {"steps", beside.steps}, {"recorded_span_s", beside.recordedSpan}, {"simulated_span_s", beside.simulatedSpan}, {"span_error_percent", errorJson(beside.simulatedSpan, beside.recordedSpan)}, {"classes", std::move(classes)}};
}

} // namespace orrery
