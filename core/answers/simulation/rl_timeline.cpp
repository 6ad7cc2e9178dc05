// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/rl_timeline.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery {
namespace {

class RlTimelineBuilder {
public:
    explicit RlTimelineBuilder(const RlReport& report) : report_(report) {
        timeline_.kind = TimelineKind::loop;
        timeline_.duration = report.stepTime;
        timeline_.streamNames = {"compute", "communication"};
        for (std::size_t i = 0; i < rlPartCount; ++i) addPart(static_cast<RlPart>(i));
    }

    void addRow(const RlJob& job, RlHalf half, std::vector<Span> spans) {
        StageTimeline row;
        row.stage = static_cast<int>(half);
        row.role = wordOf(half);
        row.ranks = rangesOf(job.placement);
        row.streams.push_back({StreamKind::compute, std::move(spans)});
        timeline_.stages.push_back(std::move(row));
    }

    Span span(RlPart part, double start, double seconds) const { return {start, start + seconds, static_cast<std::uint32_t>(part), -1, -1, 0}; }

    Timeline take() { return std::move(timeline_); }

private:
    /// The phase gives a part's bars their colour and their word in tables.
    static Phase phaseOf(RlPart part) {
        switch (part) {
        case RlPart::rollout: return Phase::forward;
        case RlPart::reward: return Phase::optimizer;
        case RlPart::training: return Phase::backward;
        case RlPart::sync: return Phase::communication;
        case RlPart::offload: return Phase::recompute;
        }
        return Phase::forward;
    }

    void addPart(RlPart part) {
        TimedOperator whole;
        whole.op.name = toString(part);
        whole.time = report_.of(part);
        whole.op.phase = phaseOf(part);
        if (part == RlPart::sync) {
            whole.op.kind = OperatorKind::collective;
            whole.op.group = RankGroup::data;
            whole.bound = Bound::network;
        }
        Segment segment;
        segment.name = toString(part);
        segment.duration = whole.time;
        segment.entries.push_back({static_cast<std::uint32_t>(part), 0, whole.time, StreamKind::compute});
        timeline_.operators.push_back(std::move(whole));
        timeline_.segments.push_back(std::move(segment));
    }

    /// "0-7,16-23".
    static std::string rangesOf(std::vector<int> ranks) {
        std::sort(ranks.begin(), ranks.end());
        std::string text;
        for (std::size_t i = 0; i < ranks.size();) {
            std::size_t end = i;
            while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
            text += (text.empty() ? "" : ",") + std::to_string(ranks[i]) + (end > i ? "-" + std::to_string(ranks[end]) : "");
            i = end + 1;
        }
        return text;
    }

    const RlReport& report_;
    Timeline timeline_;
};

/// Lays parts side by side, none that takes no time.
struct Row {
    const RlTimelineBuilder& builder;
    std::vector<Span> spans = {};
    double now = 0;

    Row& add(RlPart part, double seconds) {
        if (seconds > 0) spans.push_back(builder.span(part, now, seconds));
        now += seconds;
        return *this;
    }
    Row& waitUntil(double time) {
        now = std::max(now, time);
        return *this;
    }
};

} // namespace

Timeline rlTimeline(const RlReport& report, const RlWorkload& loop) {
    if (!report.ran) return {};
    RlTimelineBuilder builder(report);
    const auto whole = [&report](RlPart part) { return report.of(part); };
    const double offload = whole(RlPart::offload) / 2; // back before the training, away after it
    const double syncBegin = report.stepTime - whole(RlPart::sync) - offload;
    Row rollout{builder}, training{builder};
    rollout.add(RlPart::rollout, whole(RlPart::rollout)).waitUntil(syncBegin).add(RlPart::sync, whole(RlPart::sync));
    if (loop.staleness == 0) training.waitUntil(whole(RlPart::rollout));
    if (loop.staleness < 2) training.add(RlPart::reward, whole(RlPart::reward)); // with more, others judge beside
    training.add(RlPart::offload, offload).add(RlPart::training, whole(RlPart::training)).waitUntil(syncBegin).add(RlPart::sync, whole(RlPart::sync)).add(RlPart::offload, offload);
    builder.addRow(loop.rollout, RlHalf::rollout, std::move(rollout.spans));
    builder.addRow(loop.training, RlHalf::training, std::move(training.spans));
    return builder.take();
}

} // namespace orrery
