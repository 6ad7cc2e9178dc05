// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_points.hpp"
#include "core/operators/roofline.hpp"
#include "widgets/common/operator_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace orrery {
namespace {

constexpr double clearance = 2; ///< px kept free around a text
constexpr int directions = 16;
constexpr std::array distances{4.0, 12.0, 22.0, 34.0, 48.0, 64.0, 84.0};
constexpr double leaderFrom = 10; ///< px between mark and text from which on a line is needed to tell whose text it is

bool covers(const QRectF& rect, const LabelObstacles::Disc& disc) {
    const double x = std::clamp(disc.centre.x(), rect.left(), rect.right());
    const double y = std::clamp(disc.centre.y(), rect.top(), rect.bottom());
    return std::hypot(x - disc.centre.x(), y - disc.centre.y()) < disc.radius;
}

/// The rectangle that touches the mark's rim in a direction, `distance` away from it: beside, above or below by where it lies.
QRectF candidate(const LabelRequest& request, int direction, double distance) {
    const double angle = 2 * std::numbers::pi * direction / directions;
    const double dx = std::cos(angle), dy = std::sin(angle);
    const double reach = request.radius + distance;
    const QPointF point = request.anchor + QPointF(dx, dy) * reach;
    // Slides smoothly from left-aligned (right of the mark) to right-aligned (left of it).
    return {QPointF(point.x() - request.size.width() * (1 - dx) / 2, point.y() - request.size.height() * (1 - dy) / 2), request.size};
}

QLineF leaderOf(const LabelRequest& request, const QRectF& rect) {
    const QPointF end(std::clamp(request.anchor.x(), rect.left(), rect.right()), std::clamp(request.anchor.y(), rect.top(), rect.bottom()));
    QLineF line(request.anchor, end);
    const double length = line.length();
    if (length > request.radius) line.setP1(line.pointAt(request.radius / length));
    return line;
}

} // namespace

bool crosses(const QLineF& line, const QRectF& rect) {
    // Liang–Barsky clipping: what is left of the parameter interval [0, 1] inside all four sides.
    double from = 0, to = 1;
    const double dx = line.dx(), dy = line.dy();
    const auto clip = [&](double p, double q) {
        if (p == 0) return q > 0;
        const double at = q / p;
        if (p < 0) from = std::max(from, at);
        else to = std::min(to, at);
        return from < to;
    };
    return clip(-dx, line.x1() - rect.left()) && clip(dx, rect.right() - line.x1()) && clip(-dy, line.y1() - rect.top()) &&
           clip(dy, rect.bottom() - line.y1());
}

std::vector<std::optional<PlacedLabel>> placeLabels(const std::vector<LabelRequest>& requests, const LabelObstacles& obstacles) {
    std::vector<std::optional<PlacedLabel>> places(requests.size());
    std::vector<QRectF> texts;
    std::vector<QLineF> leaders;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const LabelRequest& request = requests[i];
        for (const double distance : distances) {
            for (int turn = 0; turn < directions && !places[i]; ++turn) {
                // Right first, then alternately further down and up, left last: how a reader looks for a point's name.
                const int direction = turn % 2 == 0 ? turn / 2 : directions - (turn + 1) / 2;
                const QRectF rect = candidate(request, direction, distance);
                const QRectF wide = rect.adjusted(-clearance, -clearance, clearance, clearance);
                if (!obstacles.bounds.contains(rect)) continue;
                const auto hits = [&](const auto& list, auto&& test) { return std::any_of(list.begin(), list.end(), test); };
                if (hits(texts, [&](const QRectF& text) { return text.intersects(wide); })) continue;
                if (hits(leaders, [&](const QLineF& line) { return crosses(line, wide); })) continue;
                if (hits(obstacles.discs, [&](const auto& disc) { return covers(rect, disc); })) continue;
                if (hits(obstacles.lines, [&](const QLineF& line) { return crosses(line, wide); })) continue;
                if (hits(obstacles.areas, [&](const QPolygonF& area) { return area.intersects(QPolygonF(wide)); })) continue;
                PlacedLabel place{rect, std::nullopt};
                if (distance >= leaderFrom) {
                    const QLineF leader = leaderOf(request, rect);
                    if (hits(texts, [&](const QRectF& text) { return crosses(leader, text); })) continue;
                    if (hits(leaders, [&](const QLineF& other) { return leader.intersects(other) == QLineF::BoundedIntersection; })) continue;
                    if (hits(obstacles.areas, [&](const QPolygonF& area) { return crosses(leader, area.boundingRect()); })) continue;
                    place.leader = leader;
                    leaders.push_back(leader);
                }
                places[i] = place;
                texts.push_back(rect);
            }
            if (places[i]) break;
        }
    }
    return places;
}

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
