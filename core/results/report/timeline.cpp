// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/timeline.hpp"

#include "core/base/json.hpp"
#include "core/results/report/trace_passes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>

namespace orrery {
namespace {

/// Numbers and quotes go straight into a buffer: a document tree of millions of events would take gigabytes.
class EventWriter {
public:
    explicit EventWriter(std::ostream& out) : out_(out) { buffer_.reserve(flushSize + 4096); }

    EventWriter& text(std::string_view text) {
        buffer_ += text;
        return *this;
    }

    EventWriter& number(double value) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::isfinite(value) ? value : 0.0).ptr;
        return text({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

    EventWriter& number(std::int64_t value) {
        std::array<char, 24> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        return text({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

    /// The format counts in microseconds; three decimals keep the nanosecond.
    EventWriter& microseconds(std::int64_t nanoseconds) {
        number(nanoseconds / 1000);
        const auto rest = static_cast<int>(nanoseconds % 1000);
        const std::array<char, 4> decimals{'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                                           static_cast<char>('0' + rest % 10)};
        return text({decimals.data(), decimals.size()});
    }

    EventWriter& beginEvent() {
        if (buffer_.size() > flushSize) flush();
        text(first_ ? "\n" : ",\n");
        first_ = false;
        return *this;
    }

    void flush() {
        out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        buffer_.clear();
    }

private:
    static constexpr std::size_t flushSize = 1 << 16;
    std::ostream& out_;
    std::string buffer_;
    bool first_ = true;
};

std::string jsonText(std::string_view text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Begin and end are rounded alike, so that neighbours that touch still touch and never overlap.
std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

void writeMetadata(EventWriter& writer, std::int64_t process, std::int64_t thread, std::string_view kind, std::string_view name,
                   std::int64_t order) {
    const auto head = [&](std::string_view suffix) {
        writer.beginEvent().text(R"({"ph":"M","pid":)").number(process);
        if (thread >= 0) writer.text(R"(,"tid":)").number(thread);
        writer.text(R"(,"name":")").text(kind).text(suffix).text(R"(","args":{)");
    };
    head("_name");
    writer.text(R"("name":)").text(jsonText(name)).text("}}");
    head("_sort_index");
    writer.text(R"("sort_index":)").number(order).text("}}");
}

/// What all instances of an operator share, written once: its name, category and the tail of its arguments.
struct OperatorText {
    std::string head;
    std::string arguments;
};

std::vector<OperatorText> operatorTexts(const Timeline& timeline) {
    std::vector<OperatorText> texts;
    texts.reserve(timeline.operators.size());
    for (const TimedOperator& timed : timeline.operators) {
        const Operator& op = timed.op;
        Json arguments = {{"flops", op.flops},
                          {"bytes", op.bytesRead + op.bytesWritten},
                          {"bound", toString(timed.bound)},
                          {"source", toString(timed.source)}};
        if (op.collective != CollectiveKind::none) arguments["message_bytes"] = op.messageBytes;
        std::string tail = arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
        tail.front() = ',';
        texts.push_back({R"({"ph":"X","name":)" + jsonText(op.name) + R"(,"cat":)" + jsonText(toString(op.phase)), std::move(tail)});
    }
    return texts;
}

/// The slices above the operators, and the arrows between them. A slice is written right before its first operator: what begins
/// together lies within what came first.
class PassSlices {
public:
    explicit PassSlices(const Timeline& timeline)
        : timeline_(timeline), passes_(tracePasses(timeline)), arrows_(traceArrows(timeline, passes_)), out_(passes_.size(), none), in_(passes_.size(), none) {
        for (std::size_t arrow = 0; arrow < arrows_.size(); ++arrow) out_[arrows_[arrow].from] = in_[arrows_[arrow].to] = arrow;
    }

    /// Every slice of the stage that begins by `time` and was not written yet.
    void writeUpTo(int position, double time, EventWriter& writer) {
        const auto isDue = [&](const TracePass& pass) { return pass.position < position || (pass.position == position && pass.start <= time); };
        for (; next_ < passes_.size() && isDue(passes_[next_]); ++next_) write(next_, writer);
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void write(std::size_t index, EventWriter& writer) const {
        const TracePass& pass = passes_[index];
        const std::int64_t start = nanoseconds(pass.start), end = nanoseconds(pass.end);
        writer.beginEvent().text(R"({"ph":"X","name":")").text(pass.forward ? "forward" : "backward").text(", micro-batch ").number(std::int64_t{pass.microBatch});
        if (pass.chunk > 0) writer.text(", chunk ").number(std::int64_t{pass.chunk});
        writer.text(R"(","cat":"micro-batch")");
        place(pass, start, writer).text(R"(,"dur":)").microseconds(end - start);
        writer.text(R"(,"args":{"micro_batch":)").number(std::int64_t{pass.microBatch}).text(R"(,"chunk":)").number(std::int64_t{pass.chunk}).text("}}");
        if (in_[index] != none) writeEnd(R"({"ph":"f","bp":"e")", in_[index], pass, start, writer);
        // Leaves at the slice's end, yet within it, and never after it has arrived.
        if (out_[index] == none) return;
        const std::int64_t arrives = nanoseconds(passes_[arrows_[out_[index]].to].start);
        writeEnd(R"({"ph":"s")", out_[index], pass, std::max(start, std::min(end - 1, arrives)), writer);
    }

    void writeEnd(std::string_view head, std::size_t arrow, const TracePass& pass, std::int64_t time, EventWriter& writer) const {
        writer.beginEvent().text(head).text(R"(,"name":"micro-batch","cat":"micro-batch","id":)").number(static_cast<std::int64_t>(arrow) + 1);
        place(pass, time, writer).text("}");
    }

    EventWriter& place(const TracePass& pass, std::int64_t time, EventWriter& writer) const {
        writer.text(R"(,"pid":)").number(std::int64_t{timeline_.stages[static_cast<std::size_t>(pass.position)].stage});
        return writer.text(R"(,"tid":)").number(static_cast<std::int64_t>(StreamKind::compute)).text(R"(,"ts":)").microseconds(time);
    }

    const Timeline& timeline_;
    std::vector<TracePass> passes_;
    std::vector<TraceArrow> arrows_;
    std::vector<std::size_t> out_, in_; ///< arrow of each pass
    std::size_t next_ = 0;              ///< passes are by stage, then by start, as they are written
};

} // namespace

std::vector<StreamKind> streamKinds(const Timeline& timeline) {
    std::vector<StreamKind> kinds;
    kinds.reserve(timeline.streamNames.size());
    for (std::size_t kind = 0; kind < timeline.streamNames.size(); ++kind) kinds.push_back(static_cast<StreamKind>(kind));
    return kinds;
}

std::string_view streamName(const Timeline& timeline, StreamKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < timeline.streamNames.size() ? std::string_view(timeline.streamNames[index]) : std::string_view();
}

std::optional<StreamKind> streamCalled(const Timeline& timeline, std::string_view name) {
    const auto found = std::find(timeline.streamNames.begin(), timeline.streamNames.end(), name);
    if (found == timeline.streamNames.end()) return std::nullopt;
    return static_cast<StreamKind>(found - timeline.streamNames.begin());
}

std::size_t operatorCount(const Timeline& timeline, int stage, StreamKind stream) {
    const StreamKind carrier = stream == StreamKind::within ? StreamKind::compute : stream;
    std::vector<std::size_t> perSegment(timeline.segments.size());
    for (std::size_t i = 0; i < perSegment.size(); ++i)
        for (const SegmentEntry& entry : timeline.segments[i].entries)
            perSegment[i] += carrier != StreamKind::compute || entry.stream == stream ? 1 : 0;
    std::size_t count = 0;
    for (const Stream& candidate : timeline.stages[static_cast<std::size_t>(stage)].streams) {
        if (candidate.kind != carrier) continue;
        for (const Span& span : candidate.spans) count += perSegment[span.segment];
    }
    return count;
}

namespace {

std::string rowName(const Timeline& timeline, const StageTimeline& stage) {
    if (timeline.kind == TimelineKind::loop) return stage.role;
    return (timeline.kind == TimelineKind::requests ? "Instance " : "Stage ") + std::to_string(stage.stage);
}

} // namespace

void writeChromeTrace(const Timeline& timeline, std::ostream& out) {
    const std::vector<OperatorText> texts = operatorTexts(timeline);
    PassSlices slices(timeline);
    const char* place = timeline.kind == TimelineKind::iteration ? "micro_batch" : timeline.kind == TimelineKind::batch ? "token"
                                                                                                                        : "step";
    EventWriter writer(out);
    writer.text(R"({"displayTimeUnit":"ns","traceEvents":[)");
    for (std::size_t position = 0; position < timeline.stages.size(); ++position) {
        const StageTimeline& stage = timeline.stages[position];
        const auto process = static_cast<std::int64_t>(stage.stage);
        writeMetadata(writer, process, -1, "process", rowName(timeline, stage) + " (ranks " + stage.ranks + ")",
                      static_cast<std::int64_t>(position));
        for (const StreamKind kind : streamKinds(timeline)) {
            if (operatorCount(timeline, static_cast<int>(position), kind) == 0) continue;
            const auto thread = static_cast<std::int64_t>(kind);
            writeMetadata(writer, process, thread, "thread", streamName(timeline, kind), thread);
            const double forever = std::numeric_limits<double>::infinity();
            forEachOperator(timeline, static_cast<int>(position), kind, -forever, forever, [&](const OperatorInstance& instance) {
                if (kind == StreamKind::compute) slices.writeUpTo(static_cast<int>(position), instance.start, writer);
                const std::int64_t start = nanoseconds(instance.start);
                const OperatorText& text = texts[instance.op];
                writer.beginEvent().text(text.head).text(R"(,"pid":)").number(process).text(R"(,"tid":)").number(thread);
                writer.text(R"(,"ts":)").microseconds(start).text(R"(,"dur":)").microseconds(nanoseconds(instance.end) - start);
                writer.text(R"(,"args":{")").text(place).text(R"(":)").number(std::int64_t{instance.span->microBatch});
                writer.text(R"(,"layer":)").number(std::int64_t{instance.span->layer});
                writer.text(R"(,"chunk":)").number(std::int64_t{instance.span->chunk}).text(text.arguments).text("}");
            });
        }
        for (const MemorySample& sample : stage.memory) {
            writer.beginEvent().text(R"({"ph":"C","name":"memory","pid":)").number(process);
            writer.text(R"(,"ts":)").microseconds(nanoseconds(sample.time)).text(R"(,"args":{"static":)").number(stage.staticBytes);
            writer.text(timeline.kind == TimelineKind::requests ? R"(,"kv_cache":)" : R"(,"activations":)").number(sample.activations).text(R"(,"temporary":)").number(sample.temporary).text("}}");
        }
    }
    writer.text("\n]}\n");
    writer.flush();
}

} // namespace orrery
