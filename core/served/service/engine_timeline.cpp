// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/engine_timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace orrery {
namespace {

/// Rows of an engine's rank.
StreamNames engineStreams() { return {"compute", "communication"}; }

class TimelineBuilder {
public:
    /// A span of `seconds` with the step's operators in it, stretched to fill it: what the host adds lies between them. Gives the segment.
    std::uint32_t addStep(const StepModel& model, const StepBatch& batch, const char* name, Phase phase, double seconds) {
        std::vector<TimedOperator> operators = model.operators(batch);
        double work = 0;
        for (const TimedOperator& timed : operators) work += timed.time;
        const double stretch = work > 0 ? seconds / work : 1;
        Segment segment;
        segment.name = name;
        segment.phase = phase;
        segment.duration = seconds;
        double at = 0;
        std::map<std::pair<std::string, double>, std::uint32_t> known;
        for (TimedOperator& timed : operators) {
            const auto [place, fresh] = known.try_emplace({timed.op.name, timed.time}, static_cast<std::uint32_t>(timeline_.operators.size()));
            const double end = at + timed.time * stretch;
            const bool communicates = timed.op.kind == OperatorKind::collective || timed.op.kind == OperatorKind::send_receive;
            segment.entries.push_back({place->second, at, end, communicates ? StreamKind::within : StreamKind::compute});
            at = end;
            if (fresh) timeline_.operators.push_back(std::move(timed));
        }
        timeline_.segments.push_back(std::move(segment));
        return static_cast<std::uint32_t>(timeline_.segments.size() - 1);
    }

    void addSpan(std::uint32_t segment, int token) {
        const double end = now_ + timeline_.segments[segment].duration;
        spans_.push_back({now_, end, segment, token, -1, 0});
        now_ = end;
    }

    Timeline take(int accelerators) {
        timeline_.kind = TimelineKind::batch;
        timeline_.duration = now_;
        StageTimeline stage;
        stage.ranks = accelerators == 1 ? "0" : "0-" + std::to_string(accelerators - 1);
        stage.streams.push_back({StreamKind::compute, std::move(spans_)});
        timeline_.streamNames = engineStreams();
        timeline_.stages.push_back(std::move(stage));
        return std::move(timeline_);
    }

private:
    Timeline timeline_;
    std::vector<Span> spans_;
    double now_ = 0;
};

} // namespace

Timeline staticTimeline(const StepModel& model, const InferenceWorkload& workload, const StaticEstimate& estimate) {
    constexpr int mostGroups = 32; // of steps that share their operators' times
    TimelineBuilder builder;
    StepBatch prompts;
    prompts.prefills.assign(static_cast<std::size_t>(workload.batchSize), {workload.inputLength, 0});
    builder.addSpan(builder.addStep(model, prompts, "prefill", Phase::forward, estimate.ttft), 0);
    const int steps = workload.outputLength - 1, groups = std::min(steps, mostGroups);
    const auto firstOf = [&](int group) { return static_cast<int>(std::int64_t{group} * steps / groups); };
    std::vector<double> seconds;
    std::vector<StepBatch> batches;
    double sum = 0;
    for (int group = 0; group < groups; ++group) {
        const int first = firstOf(group), last = firstOf(group + 1);
        StepBatch batch;
        batch.decodes = workload.batchSize;
        batch.decodeContext = workload.inputLength + (first + last - 1) / 2.0;
        seconds.push_back(model.seconds(batch));
        sum += seconds.back() * (last - first);
        batches.push_back(std::move(batch));
    }
    const double share = sum > 0 ? (estimate.latency - estimate.ttft) / sum : 1; // several stages take turns; bends between groups
    for (int group = 0; group < groups; ++group) {
        const auto at = static_cast<std::size_t>(group);
        const std::uint32_t segment = builder.addStep(model, batches[at], "decode", Phase::forward, seconds[at] * share);
        for (int step = firstOf(group); step < firstOf(group + 1); ++step) builder.addSpan(segment, step + 1);
    }
    return builder.take(model.engine().parallelism.ranks());
}

namespace {

enum class StepKind : std::uint8_t { prefill,
                                     decode,
                                     mixed };
constexpr std::array<const char*, 3> stepNames{"prefill", "decode", "mixed"};

StepKind kindOf(const StepRecord& step) {
    if (step.prefills == 0) return StepKind::decode;
    return step.decodes == 0 ? StepKind::prefill : StepKind::mixed;
}

std::string ranksOf(const ServedInstance& instance) {
    const std::string first = std::to_string(instance.firstRank);
    return instance.ranks == 1 ? first : first + "-" + std::to_string(instance.firstRank + instance.ranks - 1);
}

/// Whether a step begins when the one before it ends: the engine did not stand still.
bool followsAtOnce(const Span& before, const StepRecord& step) { return step.start <= before.end * (1 + 1e-12); }

/// The steps as spans whose segments are kinds of step. Joined ones begin in the same stretch of `width` s or, `width` being 0, are alike.
std::vector<Span> spansOf(const std::vector<StepRecord>& steps, bool join, double width) {
    std::vector<Span> spans;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepRecord& step = steps[i];
        const StepKind kind = kindOf(step);
        const double end = step.start + step.seconds;
        if (join && !spans.empty() && followsAtOnce(spans.back(), step)) {
            Span& last = spans.back();
            const bool alike = last.segment == static_cast<std::uint32_t>(kind);
            if (alike || (width > 0 && std::floor(last.start / width) == std::floor(step.start / width))) {
                last.end = end;
                if (!alike) last.segment = static_cast<std::uint32_t>(StepKind::mixed);
                continue;
            }
        }
        // Times of a step are sums of others: what rounding makes overlap does not.
        const double start = spans.empty() ? step.start : std::max(step.start, spans.back().end);
        spans.push_back({start, std::max(start, end), static_cast<std::uint32_t>(kind), static_cast<std::int32_t>(i), -1, 0});
    }
    return spans;
}

std::vector<MemorySample> memoryOf(const ServedInstance& instance, double width) {
    std::vector<MemorySample> samples;
    double stretch = -1;
    for (const StepRecord& step : *instance.steps) {
        const double used = static_cast<double>(instance.blocks - step.freeBlocks) * instance.blockBytes;
        const double at = width > 0 ? std::floor(step.start / width) : -1;
        if (width > 0 && !samples.empty() && at == stretch) {
            samples.back().activations = std::max(samples.back().activations, used);
            continue;
        }
        stretch = at;
        if (samples.empty() || samples.back().activations != used) samples.push_back({step.start, used, 0});
    }
    return samples;
}

/// The kinds of step, each an operator that fills its span.
void addStepKinds(Timeline& timeline, const std::vector<ServedInstance>& instances) {
    std::array<double, stepNames.size()> seconds{}, count{};
    for (const ServedInstance& instance : instances)
        for (const StepRecord& step : *instance.steps) {
            seconds[static_cast<std::size_t>(kindOf(step))] += step.seconds;
            count[static_cast<std::size_t>(kindOf(step))] += 1;
        }
    for (std::size_t kind = 0; kind < stepNames.size(); ++kind) {
        TimedOperator step;
        step.op.name = stepNames[kind];
        step.time = count[kind] > 0 ? seconds[kind] / count[kind] : 0;
        step.source = Source::derived;
        Segment segment;
        segment.name = stepNames[kind];
        segment.phase = Phase::forward;
        segment.duration = step.time;
        segment.entries.push_back({static_cast<std::uint32_t>(kind), 0, step.time, StreamKind::compute});
        timeline.operators.push_back(std::move(step));
        timeline.segments.push_back(std::move(segment));
    }
}

} // namespace

Timeline servedTimeline(const std::vector<ServedInstance>& instances, std::size_t mostSpans) {
    Timeline timeline;
    timeline.kind = TimelineKind::requests;
    timeline.streamNames = engineStreams();
    addStepKinds(timeline, instances);
    std::size_t steps = 0;
    for (const ServedInstance& instance : instances) {
        steps += instance.steps->size();
        if (!instance.steps->empty()) timeline.duration = std::max(timeline.duration, instance.steps->back().start + instance.steps->back().seconds);
    }
    const bool join = steps > mostSpans;
    const double width = join && mostSpans > 0 ? timeline.duration * static_cast<double>(instances.size()) / static_cast<double>(mostSpans) : 0;
    std::size_t spans = 0;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        StageTimeline row;
        row.stage = static_cast<int>(i);
        row.ranks = ranksOf(instances[i]);
        if (instances[i].role != InstanceRole::both) row.role = instances[i].role == InstanceRole::prefill ? "prefill" : "decode";
        row.staticBytes = instances[i].fixedBytes;
        row.memory = memoryOf(instances[i], width);
        row.streams.push_back({StreamKind::compute, spansOf(*instances[i].steps, join, 0)});
        spans += row.streams.front().spans.size();
        timeline.stages.push_back(std::move(row));
    }
    if (spans > mostSpans)
        for (std::size_t i = 0; i < instances.size(); ++i) timeline.stages[i].streams.front().spans = spansOf(*instances[i].steps, true, width);
    return timeline;
}

} // namespace orrery
