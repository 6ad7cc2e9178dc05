// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_points.hpp"

#include "core/operators/roofline.hpp"
#include "widgets/common/operator_words.hpp"

#include <algorithm>

namespace orrery {

namespace {

/// Kinds whose tiles the hierarchical roofline knows; the rest passes every level once.
bool isProduct(OperatorKind kind) {
    return kind == OperatorKind::gemm || kind == OperatorKind::batched_gemm || kind == OperatorKind::grouped_gemm || kind == OperatorKind::attention;
}

} // namespace

double Roofs::at(double intensity) const {
    if (compute > 0 && bandwidth > 0) return std::min(compute, bandwidth * intensity);
    return compute > 0 ? compute : bandwidth * intensity;
}

RooflineData rooflineData(const Result& result) {
    RooflineData data;
    const Accelerator& accelerator = result.scenario.cluster.accelerator;
    const std::string precision(wordOf(result.scenario.precision()));
    data.roofs.accelerator = QString::fromStdString(accelerator.name);
    data.roofs.precision = QString::fromStdString(precision);
    if (const auto peak = accelerator.peakDense.find(precision); peak != accelerator.peakDense.end()) data.roofs.compute = peak->second;
    data.roofs.bandwidth = accelerator.memoryBandwidth;
    data.roofs.l2Bandwidth = accelerator.l2Bandwidth;
    const RooflineMachine machine = rooflineMachine(accelerator, result.scenario.kernels.physics);
    if (accelerator.memoryBandwidth > 0) {
        data.roofs.l2LevelBandwidth = machine.bandwidth[indexOf(MemoryLevel::l2)];
        data.roofs.sharedBandwidth = machine.bandwidth[indexOf(MemoryLevel::shared)];
    }

    const double iteration = result.training() ? result.training()->iterationTime : result.timeline.duration;
    for (const OperationRow& row : result.operations) {
        if (!(row.flops > 0 && row.bytes > 0 && row.time > 0)) {
            ++data.omitted;
            data.omittedTime += row.time;
            continue;
        }
        RooflinePoint point;
        point.row = row;
        point.intensity = row.flops / row.bytes;
        point.achieved = row.flops / row.time;
        point.share = iteration > 0 ? row.time / iteration : 0;
        point.op = findOperator(result.timeline, row);
        if (point.op != nullptr && isProduct(point.op->op.kind)) {
            const RooflineTime levels = rooflineTime(machine, point.op->op);
            const auto intensity = [&](MemoryLevel level) {
                const double bytes = levels.traffic[indexOf(level)];
                return bytes > 0 ? point.op->op.flops / bytes : 0;
            };
            point.l2Intensity = intensity(MemoryLevel::l2);
            point.sharedIntensity = intensity(MemoryLevel::shared);
        }
        data.points.push_back(std::move(point));
    }
    std::stable_sort(data.points.begin(), data.points.end(),
                     [](const RooflinePoint& a, const RooflinePoint& b) { return a.row.time > b.row.time; });
    return data;
}

} // namespace orrery
