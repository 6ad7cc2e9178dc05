// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/beside_scenario.hpp"

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/records/traced_job/machine_of_record.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace orrery {
namespace {

constexpr const char* matrixProducts = "matrix products";

ResultPtr trainedOf(const ScenarioReading& reading) {
    if (!reading.scenario || hasErrors(reading.problems)) return nullptr;
    const Outcome outcome = simulate(*reading.scenario);
    return outcome.result && !hasErrors(outcome.problems) ? outcome.result : nullptr;
}

RecordedWork workOf(const TimedOperator& timed) { return timed.op.kind == OperatorKind::collective || timed.op.kind == OperatorKind::send_receive ? RecordedWork::communication : RecordedWork::kernel; }

} // namespace

std::vector<std::string> whyForeign(const Result& result, const BesideRecord& beside, const KinetoTrace& trace, const Catalog& catalog) {
    // Of one job both run the same products, but for what a library fuses or splits; twice as many are another model or another plan.
    constexpr double mostTimes = 2;
    std::vector<std::string> reasons;
    const DeviceMatch device = deviceMatch(trace, catalog);
    const std::string& own = result.scenario.cluster.accelerator.id;
    if (device.named && !device.ids.empty() && std::find(device.ids.begin(), device.ids.end(), own) == device.ids.end())
        reasons.push_back("The record is of \"" + trace.deviceName + "\", the scenario of " + result.scenario.cluster.accelerator.name + ".");
    const int ranks = result.scenario.parallelism.ranks();
    if (trace.worldSize && *trace.worldSize != ranks) reasons.push_back("The record is of a job of " + std::to_string(*trace.worldSize) + " ranks, the scenario has " + std::to_string(ranks) + ".");
    const OperatorClassTimes& products = beside.of(matrixProducts);
    const double recorded = static_cast<double>(products.recordedKernels) / static_cast<double>(std::max<std::size_t>(1, beside.steps)), simulated = static_cast<double>(products.simulatedKernels);
    if (recorded > 0 && simulated > 0 && (recorded > mostTimes * simulated || simulated > mostTimes * recorded))
        reasons.push_back("The record has " + std::to_string(std::llround(recorded)) + " matrix products a step, the simulation " + std::to_string(products.simulatedKernels) + ".");
    return reasons;
}

std::optional<FoundCalibration> besideCalibration(const Json& document, const Catalog& catalog, const FileReader& readFile, const Result& result, const BesideRecord& beside, const KinetoTrace& trace) {
    const OperatorClassTimes& before = beside.of(matrixProducts);
    if (before.recorded <= 0 || before.simulated <= 0) return std::nullopt;
    const double wanted = result.scenario.kernels.gemmRateOfPeak * before.simulated / before.recorded, error = std::abs(before.simulated / before.recorded - 1);
    if (!(wanted > 0 && wanted <= 1)) return std::nullopt;
    Json calibrated = document;
    calibrated["execution"]["calibration"]["gemm_rate_of_peak"] = wanted;
    const ResultPtr again = trainedOf(readScenario(calibrated, catalog, readFile));
    if (!again) return std::nullopt;
    const BesideRecord run = besideRecord(*again, trace);
    const OperatorClassTimes& after = run.of(matrixProducts);
    if (std::abs(after.simulated / after.recorded - 1) >= error) return std::nullopt;
    return FoundCalibration{wanted, after.simulated / after.recorded - 1};
}

void addSimulated(RecordTimeline& record, const Timeline& simulated, int position, double at) {
    const StageTimeline& from = simulated.stages[static_cast<std::size_t>(position)];
    Timeline& timeline = record.timeline;
    std::map<std::uint32_t, std::uint32_t> operators; // of the simulation, to those of the record
    const auto operatorOf = [&](std::uint32_t op) {
        const auto [found, isNew] = operators.emplace(op, static_cast<std::uint32_t>(timeline.operators.size()));
        if (isNew) {
            timeline.operators.push_back(simulated.operators[op]);
            timeline.works.push_back(workOf(simulated.operators[op]));
            Segment segment;
            segment.name = simulated.operators[op].op.name;
            segment.entries.push_back({found->second, 0, 0, StreamKind::compute});
            timeline.segments.push_back(std::move(segment));
        }
        return found->second;
    };
    const auto kindCalled = [&timeline](const std::string& name) {
        auto found = std::find(timeline.streamNames.begin() + 2, timeline.streamNames.end(), name);
        if (found == timeline.streamNames.end()) found = timeline.streamNames.insert(timeline.streamNames.end(), name);
        return static_cast<StreamKind>(found - timeline.streamNames.begin());
    };
    StageTimeline stage;
    stage.stage = static_cast<int>(timeline.stages.size());
    stage.ranks = "Stage " + std::to_string(from.stage);
    stage.role = "simulated";
    std::vector<RecordRow> rows;
    for (const StreamKind kind : streamKinds(simulated)) {
        Stream stream;
        stream.kind = kind == StreamKind::compute ? kind : kindCalled(std::string(streamName(simulated, kind)));
        forEachOperator(simulated, position, kind, -1, simulated.duration + 1, [&](const OperatorInstance& one) {
            Span span;
            span.start = at + one.start;
            span.end = at + one.end;
            span.segment = operatorOf(one.op);
            span.microBatch = one.span->microBatch;
            stream.spans.push_back(span);
        });
        if (stream.spans.empty()) continue;
        timeline.duration = std::max(timeline.duration, stream.spans.back().end);
        rows.push_back(kind == StreamKind::compute ? RecordRow::summary : RecordRow::device);
        stage.streams.push_back(std::move(stream));
    }
    timeline.stages.push_back(std::move(stage));
    record.rows.push_back(std::move(rows));
}

} // namespace orrery
