// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/telemetry_requests.hpp"

#include "core/base/json.hpp"

#include <charconv>
#include <initializer_list>
#include <string>

namespace orrery {
namespace {

/// Protobuf's JSON writes 64-bit numbers as texts.
std::optional<std::int64_t> wholeOf(const Json& value) {
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_string()) return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

double secondsSince(std::int64_t nanoseconds, std::int64_t& origin) {
    if (origin < 0) origin = nanoseconds;
    return static_cast<double>(nanoseconds - origin) * 1e-9; // seconds since 1970 have too few digits behind the point
}

std::optional<std::int64_t> attributeOf(const Json& span, std::initializer_list<std::string_view> names) {
    const auto attributes = span.find("attributes");
    if (attributes == span.end() || !attributes->is_array()) return std::nullopt;
    for (const std::string_view name : names)
        for (const Json& attribute : *attributes) {
            if (!attribute.is_object() || attribute.value("key", Json()) != Json(name)) continue;
            const auto value = attribute.find("value");
            if (value == attribute.end() || !value->is_object() || !value->contains("intValue")) continue;
            return wholeOf(value->at("intValue"));
        }
    return std::nullopt;
}

void addSpan(const Json& span, std::int64_t& origin, RequestLogBuilder& log, int line) {
    if (!span.is_object()) return;
    const auto input = attributeOf(span, {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"});
    const auto output = attributeOf(span, {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"});
    if (!input || !output) return;
    RequestLogEntry entry;
    entry.input = static_cast<double>(*input);
    entry.output = static_cast<double>(*output);
    if (const auto start = span.find("startTimeUnixNano"); start != span.end()) {
        const auto moment = wholeOf(*start);
        entry.arrival = moment ? secondsSince(*moment, origin) : std::nan("");
    }
    log.add(std::move(entry), line);
}

/// Calls `visit` with each object of a list under one of these keys.
template <typename Visit>
void eachIn(const Json& object, std::initializer_list<const char*> keys, Visit visit) {
    if (!object.is_object()) return;
    for (const char* key : keys)
        if (const auto list = object.find(key); list != object.end() && list->is_array())
            for (const Json& one : *list) visit(one);
}

void addSpans(const Json& document, std::int64_t& origin, RequestLogBuilder& log, int line) {
    eachIn(document, {"resourceSpans"}, [&](const Json& resource) {
        eachIn(resource, {"scopeSpans", "instrumentationLibrarySpans"}, [&](const Json& scope) {
            eachIn(scope, {"spans"}, [&](const Json& span) { addSpan(span, origin, log, line); });
        });
    });
}

std::optional<double> metricOf(const Json& metrics, const char* name) {
    const auto metric = metrics.find(name);
    if (metric == metrics.end()) return std::nullopt;
    const Json& value = metric->is_object() && metric->contains("value") ? metric->at("value") : *metric;
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

} // namespace

bool isSpanLog(std::string_view text) {
    constexpr std::size_t beginning = 256; // the key stands first
    return text.substr(0, beginning).find("\"resourceSpans\"") != std::string_view::npos;
}

void readSpans(std::string_view text, RequestLogBuilder& log) {
    std::int64_t origin = -1;
    if (const Json whole = Json::parse(text, nullptr, false); whole.is_object()) return addSpans(whole, origin, log, 0);
    for (int number = 1; !text.empty() && !log.isFull(); ++number) { // the collector's file exporter writes a batch a line
        const std::size_t length = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const Json batch = Json::parse(line, nullptr, false);
        if (batch.is_object()) addSpans(batch, origin, log, number);
        else log.report("malformed-request", number, "The line is no JSON object.", "Correct the line, or leave it out.");
    }
}

bool isAiperfRecord(const Json& object) {
    const auto metadata = object.find("metadata"), metrics = object.find("metrics");
    return metadata != object.end() && metrics != object.end() && metadata->is_object() && metrics->is_object() && metadata->contains("request_start_ns");
}

RequestLogEntry aiperfEntry(const Json& record, std::int64_t& origin) {
    RequestLogEntry entry;
    const Json& metrics = record.at("metrics");
    entry.input = metricOf(metrics, "input_sequence_length");
    entry.output = metricOf(metrics, "output_sequence_length");
    if (!entry.input) entry.input = 0; // a request that failed has neither; it is left out
    if (!entry.output) entry.output = 0;
    const auto start = wholeOf(record.at("metadata").at("request_start_ns"));
    entry.arrival = start ? secondsSince(*start, origin) : std::nan("");
    return entry;
}

} // namespace orrery
