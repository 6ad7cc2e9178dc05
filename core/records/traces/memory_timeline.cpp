// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/memory_timeline.hpp"

#include "core/base/json.hpp"
#include "core/records/traces/decimal_time.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

constexpr std::int64_t mostTimelineBytes = std::int64_t{1} << 50; ///< of one tensor or category; sums of many still fit
constexpr std::int64_t farthest = 3'000'000'000'000'000;          ///< µs, a century

/// A whole number no farther from 0 than `most`.
std::optional<std::int64_t> wholeWithin(const Json& value, std::int64_t most) {
    if (!value.is_number()) return std::nullopt;
    const double number = value.get<double>();
    if (!(number >= -static_cast<double>(most) && number <= static_cast<double>(most))) return std::nullopt;
    return value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(number);
}

std::optional<MemoryTimeline> coalesced(const Json& times, const Json& sizes) {
    if (!times.is_array() || !sizes.is_array() || times.size() != sizes.size()) return std::nullopt;
    MemoryTimeline timeline;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto when = wholeWithin(times[i], farthest);
        if (!when || !sizes[i].is_array()) return std::nullopt;
        MemoryTimeline::Moment moment;
        moment.when = *when * 1000;
        const std::size_t skipped = sizes[i].size() > memoryCategories.size() ? 1 : 0; // the column that plots begin at is always 0
        for (std::size_t category = 0; category < memoryCategories.size() && category + skipped < sizes[i].size(); ++category) {
            const auto bytes = wholeWithin(sizes[i][category + skipped], mostTimelineBytes);
            if (!bytes) return std::nullopt;
            moment.bytes[category] = *bytes;
        }
        timeline.moments.push_back(moment);
    }
    timeline.events = static_cast<std::int64_t>(times.size());
    return timeline;
}

std::optional<MemoryTimeline> raw(const Json& entries) {
    constexpr std::size_t members = 4;
    MemoryTimeline timeline;
    MemoryTimeline::Moment moment;
    bool any = false;
    for (const Json& entry : entries) {
        if (!entry.is_array() || entry.size() != members) return std::nullopt;
        const auto when = wholeWithin(entry[0], farthest * 1000), bytes = wholeWithin(entry[2], mostTimelineBytes), category = wholeWithin(entry[3], static_cast<std::int64_t>(memoryCategories.size()) - 1);
        if (!when || !bytes || !category || *category < 0) return std::nullopt;
        if (any && *when != moment.when) timeline.moments.push_back(moment);
        any = true;
        moment.when = *when;
        std::int64_t& held = moment.bytes[static_cast<std::size_t>(*category)];
        held = std::clamp(held + *bytes, -mostTimelineBytes, mostTimelineBytes);
        ++timeline.events;
    }
    if (any) timeline.moments.push_back(moment);
    // What was there before the record has the time −1.
    const auto known = std::find_if(timeline.moments.begin(), timeline.moments.end(), [](const auto& one) { return one.when >= 0; });
    for (auto& one : timeline.moments)
        if (one.when < 0) one.when = known == timeline.moments.end() ? 0 : known->when;
    return timeline;
}

} // namespace

std::int64_t MemoryTimeline::Moment::total() const { return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}); }

bool looksLikeMemoryTimeline(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto next = [&text] {
        const std::size_t at = text.find_first_not_of(" \t\r\n");
        const char found = at == std::string_view::npos ? '\0' : text[at];
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
        return found;
    };
    if (next() != '[' || next() != '[') return false;
    const char first = next();
    return first == ']' || first == '-' || (first >= '0' && first <= '9');
}

std::optional<MemoryTimeline> readMemoryTimeline(const Json& document) {
    if (!document.is_array() || document.empty()) return std::nullopt;
    auto timeline = document.size() == 2 && document[0].is_array() && document[1].is_array() ? coalesced(document[0], document[1]) : std::nullopt;
    if (!timeline) timeline = raw(document);
    if (timeline) std::stable_sort(timeline->moments.begin(), timeline->moments.end(), [](const auto& a, const auto& b) { return a.when < b.when; });
    return timeline;
}

Json timelineFigures(const MemoryTimeline& timeline) {
    const auto peak = std::max_element(timeline.moments.begin(), timeline.moments.end(), [](const auto& a, const auto& b) { return a.total() < b.total(); });
    const auto parts = [](const MemoryTimeline::Moment& moment) {
        Json list = Json::object();
        for (std::size_t i = 0; i < memoryCategories.size(); ++i) list[memoryCategories[i]] = moment.bytes[i];
        return list;
    };
    const bool any = peak != timeline.moments.end();
    return {{"kind", "pytorch-memory-timeline"},
            {"events", timeline.events},
            {"span_us", any ? microsecondsJson(timeline.moments.back().when - timeline.moments.front().when) : Json()},
            {"peak_bytes", any ? Json(peak->total()) : Json()},
            {"peak_at_us", any ? microsecondsJson(peak->when) : Json()},
            {"at_peak_bytes", any ? parts(*peak) : Json()},
            {"at_end_bytes", any ? parts(timeline.moments.back()) : Json()}};
}

KinetoTrace timelineTrace(const MemoryTimeline& timeline) {
    KinetoTrace trace;
    trace.threads.emplace_back();
    std::int64_t before = 0;
    for (const MemoryTimeline::Moment& moment : timeline.moments) {
        const std::int64_t total = moment.total();
        MemoryEvent event;
        event.when = moment.when;
        event.bytes = total - before;
        event.allocated = event.reserved = total;
        event.onDevice = true;
        trace.memory.push_back(event);
        before = total;
    }
    trace.memoryEvents = trace.events = static_cast<std::int64_t>(trace.memory.size());
    return trace;
}

} // namespace orrery
