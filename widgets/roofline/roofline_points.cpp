#include "widgets/roofline/roofline_points.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace orrery {

namespace {

QString text(const char* source) { return QCoreApplication::translate("orrery::Roofline", source); }

} // namespace

Phase phaseFromWord(std::string_view word) {
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::recompute, Phase::optimizer})
        if (toString(phase) == word) return phase;
    return Phase::communication;
}

QString phaseText(std::string_view word) {
    if (word == "forward") return text("forward");
    if (word == "backward") return text("backward");
    if (word == "recompute") return text("recompute");
    if (word == "optimizer") return text("optimizer");
    if (word == "communication") return text("communication");
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

QString boundText(Bound bound) {
    switch (bound) {
    case Bound::compute: return text("compute");
    case Bound::memory: return text("memory");
    case Bound::network: return text("network");
    case Bound::latency: return text("latency");
    }
    return {};
}

QString sourceText(Source source) {
    switch (source) {
    case Source::measured: return text("measured");
    case Source::predicted: return text("predicted");
    case Source::roofline: return text("roofline");
    case Source::assumed: return text("assumed");
    case Source::given: return text("given");
    case Source::derived: return text("derived");
    }
    return {};
}

double Roofs::at(double intensity) const {
    if (compute > 0 && bandwidth > 0) return std::min(compute, bandwidth * intensity);
    return compute > 0 ? compute : bandwidth * intensity;
}

RooflineData rooflineData(const Result& result) {
    RooflineData data;
    const Accelerator& accelerator = result.scenario.cluster.accelerator;
    const std::string& precision = result.scenario.workload.precision;
    data.roofs.accelerator = QString::fromStdString(accelerator.name);
    data.roofs.precision = QString::fromStdString(precision);
    if (const auto peak = accelerator.peakDense.find(precision); peak != accelerator.peakDense.end()) data.roofs.compute = peak->second;
    data.roofs.bandwidth = accelerator.memoryBandwidth;
    data.roofs.l2Bandwidth = accelerator.l2Bandwidth;

    const double iteration = result.training ? result.training->iterationTime : result.timeline.duration;
    for (const OperationRow& row : result.operations) {
        if (!(row.flops > 0 && row.bytes > 0 && row.time > 0)) {
            ++data.omitted;
            data.omittedTime += row.time;
            continue;
        }
        RooflinePoint point;
        point.row = row;
        point.phase = phaseFromWord(row.phase);
        point.intensity = row.flops / row.bytes;
        point.achieved = row.flops / row.time;
        point.share = iteration > 0 ? row.time / iteration : 0;
        for (const TimedOperator& timed : result.timeline.operators) {
            if (timed.op.name != row.kind || timed.op.phase != point.phase) continue;
            point.op = &timed;
            break;
        }
        data.points.push_back(std::move(point));
    }
    std::stable_sort(data.points.begin(), data.points.end(),
                     [](const RooflinePoint& a, const RooflinePoint& b) { return a.row.time > b.row.time; });
    return data;
}

} // namespace orrery
