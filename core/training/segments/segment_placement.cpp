// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segments/segment_placement.hpp"

namespace orrery {

std::size_t tensorsOf(const Segment& segment, const std::vector<TimedOperator>& pool) {
    TensorId highest = -1;
    for (const SegmentEntry& entry : segment.entries) {
        const Operator& op = pool[entry.op].op;
        for (const TensorId id : op.inputs) highest = std::max(highest, id);
        for (const TensorId id : op.outputs) highest = std::max(highest, id);
    }
    return static_cast<std::size_t>(highest) + 1;
}

void bookWait(SegmentParts& parts, const std::vector<CollectiveSpan>& spans, double from, double to) {
    double end = to; // of what is not booked yet
    for (auto span = spans.rbegin(); span != spans.rend() && span->end > from && end > from; ++span) {
        const double last = std::min(end, span->end), first = std::clamp(span->start, from, last);
        exposedPart(parts, span->group) += last - first;
        parts.overhead += end - last;
        end = first;
    }
    parts.overhead += std::max(0.0, end - from);
}

SegmentParts SegmentClocks::settledParts() const {
    SegmentParts settled = parts;
    if (tensor > compute) bookWait(settled, spans, compute, tensor);
    return settled;
}

SegmentPlacement::Inputs SegmentPlacement::inputsOfKernel(const TimedOperator& timed) const {
    Inputs inputs;
    for (TensorId id : timed.op.inputs) {
        const Readiness& r = ready_[static_cast<std::size_t>(id)];
        if (r.collective && chunked(timed.op)) {
            inputs.ready = std::max(inputs.ready, r.first);
            const double end = r.whole + timeOf(timed) / options_.chunks;
            if (end > inputs.earliestEnd) inputs.beside = r.group;
            inputs.earliestEnd = std::max(inputs.earliestEnd, end);
        } else {
            inputs.ready = std::max(inputs.ready, r.whole);
        }
    }
    return inputs;
}

SegmentPlacement::Inputs SegmentPlacement::inputsOfCollective(const TimedOperator& timed) const {
    Inputs inputs;
    for (TensorId id : timed.op.inputs) {
        const Readiness& r = ready_[static_cast<std::size_t>(id)];
        if (options_.chunkedOverlap && r.producerTime > 0 && !r.collective) {
            inputs.ready = std::max(inputs.ready, r.first);
            inputs.earliestEnd = std::max(inputs.earliestEnd, r.whole + timed.time / options_.chunks);
        } else {
            inputs.ready = std::max(inputs.ready, r.whole);
        }
    }
    return inputs;
}

double SegmentPlacement::earliestStart(const TimedOperator& timed) const {
    const double host = hostTime(options_, timed.op), launched = clocks_.host + host;
    if (timed.op.kind == OperatorKind::collective) {
        const double start = std::max({clocks_.tensor, inputsOfCollective(timed).ready, host > 0 ? launched : 0});
        return stopsCompute(options_, timed.op) ? std::max(start, clocks_.compute) : start;
    }
    return std::max({clocks_.compute, inputsOfKernel(timed).ready, launched});
}

SegmentEntry SegmentPlacement::place(const TimedOperator& timed, std::uint32_t index) {
    const SegmentEntry entry = timed.op.kind == OperatorKind::collective ? placeCollective(timed, index) : placeKernel(timed, index);
    if (options_.synchronousLaunches) clocks_.host = entry.end;
    return entry;
}

SegmentEntry SegmentPlacement::placeKernel(const TimedOperator& timed, std::uint32_t index) {
    const Operator& op = timed.op;
    const Inputs inputs = inputsOfKernel(timed);
    const double time = timeOf(timed);
    clocks_.host += hostTime(options_, op);
    const double afterInputs = std::max(clocks_.compute, inputs.ready);
    const double start = std::max(afterInputs, clocks_.host);
    const double end = std::max(start + time, inputs.earliestEnd);
    if (afterInputs > clocks_.compute) bookWait(clocks_.parts, clocks_.spans, clocks_.compute, afterInputs);
    exposedPart(clocks_.parts, inputs.beside) += std::max(0.0, inputs.earliestEnd - (start + time));
    clocks_.parts.overhead += start - afterInputs;
    workPart(clocks_.parts, op.phase) += time;
    clocks_.compute = end;
    if (op.hostWaits) clocks_.host = std::max(clocks_.host, end);
    settle(op, {start + (end - start) / options_.chunks, end, time, false, RankGroup::none});
    return {index, start, end, StreamKind::compute};
}

SegmentEntry SegmentPlacement::placeCollective(const TimedOperator& timed, std::uint32_t index) {
    const Operator& op = timed.op;
    const Inputs inputs = inputsOfCollective(timed);
    const bool stops = stopsCompute(options_, op);
    const double host = hostTime(options_, op);
    clocks_.host += host;
    double start = std::max(clocks_.tensor, inputs.ready);
    if (stops) start = std::max(start, clocks_.compute);
    if (host > 0) start = std::max(start, clocks_.host);
    const double end = std::max(start + timed.time, inputs.earliestEnd);
    clocks_.tensor = end;
    clocks_.spans.push_back({start, end, op.group});
    if (stops) {
        bookWait(clocks_.parts, clocks_.spans, clocks_.compute, end);
        clocks_.compute = end;
    }
    settle(op, {start + (end - start) / options_.chunks, end, timed.time, true, op.group});
    return {index, start, end, StreamKind::within};
}

void SegmentPlacement::settle(const Operator& op, Readiness readiness) {
    if (op.kind != OperatorKind::gemm && op.kind != OperatorKind::collective) readiness.producerTime = 0;
    for (TensorId id : op.outputs) ready_[static_cast<std::size_t>(id)] = readiness;
}

} // namespace orrery
