// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/foreign_requests.hpp"
#include "core/base/json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/text.hpp"
#include "core/order/requests/request_log_builder.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

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

/// Whether a text holds OpenTelemetry's spans as its protocol writes them in JSON (OTLP: `resourceSpans`, whole or a line each).
bool isSpanLog(std::string_view text) {
    constexpr std::size_t beginning = 256; // the key stands first
    return text.substr(0, beginning).find("\"resourceSpans\"") != std::string_view::npos;
}

/// Calls of models out of such a text: spans with `gen_ai.usage.input_tokens` and `gen_ai.usage.output_tokens` (GenAI semantic conventions; the names
/// before, `prompt_tokens` and `completion_tokens`, too), in the order of `startTimeUnixNano`. Other spans are passed over.
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

/// Whether an object is a record of AIPerf's `profile_export.jsonl`: `metadata` and `metrics`.
bool isAiperfRecord(const Json& object) {
    const auto metadata = object.find("metadata"), metrics = object.find("metrics");
    return metadata != object.end() && metrics != object.end() && metadata->is_object() && metrics->is_object() && metadata->contains("request_start_ns");
}

/// A record's request; its time counts from `origin`, which the first record sets (−1 before).
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

/// A name without case and what stands between its words: "Request tokens" and "request_tokens" are one.
std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c))) plain += lowered(c);
    return plain;
}

bool isOneOf(const std::string& name, std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), name) != names.end(); }

bool isInput(const std::string& name) {
    return isOneOf(name, {"inputtokens", "inputlength", "inputlen", "inputtoks", "contexttokens", "requesttokens", "numprefilltokens", "prefilltokens", "prompttokens", "promptlength", "promptlen", "numinputtokens", "numprompttokens"});
}
bool isOutput(const std::string& name) {
    return isOneOf(name, {"outputtokens", "outputlength", "outputlen", "outputtoks", "generatedtokens", "responsetokens", "numdecodetokens", "decodetokens", "completiontokens", "responselength", "numoutputtokens", "generationtokens"});
}

/// Seconds of the unit in which a column counts when requests came; nothing: it says something else.
std::optional<double> arrivalUnit(const std::string& name) {
    for (const std::string_view base : {"arrivaltimestamp", "arrivaltime", "arrivedat", "timestamp", "arrival", "time"}) {
        if (!name.starts_with(base)) continue;
        const std::string ending = name.substr(base.size());
        if (isOneOf(ending, {"", "s", "sec", "secs", "seconds"})) return 1;
        if (isOneOf(ending, {"ms", "milliseconds"})) return 1e-3;
        if (isOneOf(ending, {"us", "microseconds"})) return 1e-6;
        if (isOneOf(ending, {"ns", "nanoseconds"})) return 1e-9;
    }
    return std::nullopt;
}

std::optional<double> numberIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// When, in seconds; not a number where the text says no time.
double arrivalIn(std::string_view text, double unit, std::int64_t& origin) {
    if (const auto number = numberIn(text)) return *number * unit;
    const auto moment = momentOf(text);
    if (!moment) return std::nan("");
    if (origin < 0) origin = *moment;
    return static_cast<double>(*moment - origin) * 1e-9; // seconds since 1970 have too few digits behind the point
}

class LineCutter {
public:
    explicit LineCutter(std::string_view text) : rest_(text) {
        if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    }
    /// The next line that holds something.
    bool next(std::string_view& line) {
        while (!rest_.empty()) {
            const std::size_t length = std::min(rest_.find('\n'), rest_.size());
            line = rest_.substr(0, length);
            rest_.remove_prefix(std::min(length + 1, rest_.size()));
            ++number_;
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.find_first_not_of(" \t") != std::string_view::npos) return true;
        }
        return false;
    }
    int number() const { return number_; }

private:
    std::string_view rest_;
    int number_ = 0;
};

char separatorOf(std::string_view head) {
    for (const char c : {'\t', ',', ';'})
        if (head.find(c) != std::string_view::npos) return c;
    return ',';
}

/// Cells of a row; quotes around one are taken off.
std::vector<std::string_view> cellsOf(std::string_view row, char separator) {
    std::vector<std::string_view> cells;
    while (true) {
        std::size_t end = 0;
        if (row.starts_with('"')) end = std::min(row.find('"', 1), row.size());
        end = std::min(row.find(separator, end), row.size());
        std::string_view cell = row.substr(0, end);
        while (cell.starts_with(' ')) cell.remove_prefix(1);
        while (cell.ends_with(' ')) cell.remove_suffix(1);
        if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"')) cell = cell.substr(1, cell.size() - 2);
        cells.push_back(cell);
        if (end == row.size()) return cells;
        row.remove_prefix(end + 1);
    }
}

struct Columns {
    std::optional<std::size_t> arrival, input, output;
    double unit = 1;
};

Columns columnsOf(std::string_view head) {
    Columns columns;
    const std::vector<std::string_view> names = cellsOf(head, separatorOf(head));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = plainName(names[i]);
        if (isInput(name) && !columns.input) columns.input = i;
        else if (isOutput(name) && !columns.output) columns.output = i;
        else if (const auto unit = arrivalUnit(name); unit && !columns.arrival) {
            columns.arrival = i;
            columns.unit = *unit;
        }
    }
    return columns;
}

void readTable(std::string_view text, RequestLogBuilder& log) {
    LineCutter lines(text);
    std::string_view line;
    if (!lines.next(line)) return;
    const char separator = separatorOf(line);
    const Columns columns = columnsOf(line);
    if (!columns.input || !columns.output) return log.report("unknown-columns", lines.number(), "The table has no columns that are known here as tokens of prompts and answers.", "Name them \"input_tokens\" and \"output_tokens\", and the time of arrival \"arrival_s\".");
    std::int64_t origin = -1;
    while (!log.isFull() && lines.next(line)) {
        const std::vector<std::string_view> cells = cellsOf(line, separator);
        RequestLogEntry entry;
        const auto cell = [&cells](std::size_t column) { return column < cells.size() ? cells[column] : std::string_view(); };
        entry.input = numberIn(cell(*columns.input));
        entry.output = numberIn(cell(*columns.output));
        if (columns.arrival) entry.arrival = arrivalIn(cell(*columns.arrival), columns.unit, origin);
        log.add(std::move(entry), lines.number());
    }
}

std::optional<double> numberOf(const Json& value) {
    if (value.is_number()) return value.get<double>();
    return value.is_string() ? numberIn(value.get_ref<const std::string&>()) : std::nullopt;
}

constexpr int deepestRecord = 3; ///< response.body.usage of a batch's answers

/// What proxies and batches of OpenAI's interface put a request's numbers into.
bool holdsNumbers(const std::string& name) { return isOneOf(name, {"usage", "response", "body", "request"}); }

void readEntry(const Json& object, std::int64_t& origin, int depth, RequestLogEntry& entry);

RequestLogEntry entryOf(const Json& object, std::int64_t& origin) {
    RequestLogEntry entry;
    readEntry(object, origin, 1, entry);
    return entry;
}

void readEntry(const Json& object, std::int64_t& origin, int depth, RequestLogEntry& entry) {
    const bool inSeconds = object.contains("chat_id");
    for (const auto& [key, value] : object.items()) {
        const std::string name = plainName(key);
        if (value.is_object() && depth <= deepestRecord && holdsNumbers(name)) readEntry(value, origin, depth + 1, entry);
        else if (isInput(name) && !entry.input) entry.input = numberOf(value);
        else if (isOutput(name) && !entry.output) entry.output = numberOf(value);
        else if (const auto unit = arrivalUnit(name); unit && !entry.arrival && !value.is_null()) {
            const double scale = name == "timestamp" && !inSeconds ? 1e-3 : *unit;
            if (value.is_number()) entry.arrival = value.get<double>() * scale;
            else entry.arrival = value.is_string() ? arrivalIn(value.get_ref<const std::string&>(), scale, origin) : std::nan("");
        } else if (name == "hashids" && !value.is_null()) {
            entry.wrongHashes = !value.is_array() || !std::all_of(value.begin(), value.end(), [](const Json& hash) { return hash.is_number_unsigned(); });
            if (!entry.wrongHashes)
                for (const Json& hash : value) entry.hashes.push_back(hash.get<std::uint64_t>());
        }
    }
}

/// A record of what was said, without how many tokens it was: ShareGPT's conversations, files of prompts.
bool isText(const Json& object) {
    return std::any_of(object.begin(), object.end(), [](const Json& value) { return value.is_string() || value.is_array(); }) &&
           (object.contains("conversations") || object.contains("conversation") || object.contains("messages") || object.contains("prompt"));
}

/// AIBrix's workloads: a moment, and the requests that come then.
const Json* burstIn(const Json& object) {
    const auto requests = object.find("requests");
    const bool isBurst = requests != object.end() && requests->is_array() && std::all_of(requests->begin(), requests->end(), [](const Json& one) { return one.is_object(); });
    return isBurst ? &*requests : nullptr;
}

void readObject(const Json& object, int line, std::int64_t& origin, RequestLogBuilder& log) {
    if (object.is_object() && isAiperfRecord(object)) return log.add(aiperfEntry(object, origin), line);
    if (object.is_object()) {
        if (const Json* burst = burstIn(object)) {
            const auto arrival = entryOf(object, origin).arrival;
            for (const Json& one : *burst) {
                RequestLogEntry entry = entryOf(one, origin);
                if (!entry.arrival) entry.arrival = arrival;
                log.add(std::move(entry), line);
            }
            return;
        }
        RequestLogEntry entry = entryOf(object, origin);
        if (!entry.input && isText(object)) return log.report("no-token-counts", line, "The record holds texts, and no numbers of tokens.", "Count them with the model's tokenizer into \"input_tokens\" and \"output_tokens\", or give /workload/requests a law of lengths.");
        return log.add(std::move(entry), line);
    }
    log.report("malformed-request", line, "The line is no JSON object.", "Correct the line, or leave it out.");
}

char firstLetter(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    return at == std::string_view::npos ? '\0' : text[at];
}

bool digitsAt(std::string_view text, std::size_t at, std::size_t count, int& value) {
    if (at + count > text.size()) return false;
    value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (text[i] - '0');
    }
    return true;
}

/// Days since 1970 of a day of the Gregorian calendar: whole cycles of 400 years, years that begin in March.
std::int64_t daysOf(int year, int month, int day) {
    constexpr std::int64_t daysOfCycle = 146'097, daysToEpoch = 719'468;
    const std::int64_t y = month <= 2 ? year - 1 : year, cycle = y / 400, ofCycle = y - cycle * 400;
    const std::int64_t ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return cycle * daysOfCycle + ofCycle * 365 + ofCycle / 4 - ofCycle / 100 + ofYear - daysToEpoch;
}

} // namespace

std::optional<std::int64_t> momentOf(std::string_view text) {
    constexpr std::size_t shortest = 19;
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    const bool isDate = text.size() >= shortest && digitsAt(text, 0, 4, year) && text[4] == '-' && digitsAt(text, 5, 2, month) && text[7] == '-' && digitsAt(text, 8, 2, day) && (text[10] == ' ' || text[10] == 'T') &&
                        digitsAt(text, 11, 2, hour) && text[13] == ':' && digitsAt(text, 14, 2, minute) && text[16] == ':' && digitsAt(text, 17, 2, second);
    constexpr int firstYear = 1970, lastYear = 2200; // nanoseconds of a later one do not fit
    if (!isDate || year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
    std::int64_t nanoseconds = (((daysOf(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000;
    std::size_t at = shortest;
    if (at < text.size() && text[at] == '.') {
        std::int64_t place = 100'000'000;
        for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            nanoseconds += (text[at] - '0') * place;
            place /= 10;
        }
    }
    const std::string_view zone = text.substr(at);
    if (zone.empty() || zone == "Z" || zone == " UTC") return nanoseconds;
    int hours = 0, minutes = 0;
    if ((zone[0] != '+' && zone[0] != '-') || !digitsAt(zone, 1, 2, hours)) return std::nullopt;
    const std::size_t rest = zone.size() > 3 && zone[3] == ':' ? 4 : 3;
    if (zone.size() > 3 && (!digitsAt(zone, rest, 2, minutes) || zone.size() != rest + 2)) return std::nullopt;
    const std::int64_t shift = (hours * 60LL + minutes) * 60 * 1'000'000'000;
    return zone[0] == '+' ? nanoseconds - shift : nanoseconds + shift;
}

bool isForeignRequestLog(std::string_view text) {
    const char first = firstLetter(text);
    if (first == '[' || (first == '{' && isSpanLog(text))) return true;
    LineCutter lines(text);
    std::string_view line;
    if (!lines.next(line)) return false;
    if (first != '{') {
        const Columns columns = columnsOf(line);
        const bool isTable = line.find_first_of(",\t;") != std::string_view::npos && line.find_first_of("{}\"") == std::string_view::npos;
        return isTable || (columns.input && columns.output);
    }
    const Json object = Json::parse(line, nullptr, false);
    if (!object.is_object() || object.contains("arrival_s")) return false;
    if (isAiperfRecord(object)) return true;
    std::int64_t origin = -1;
    if (burstIn(object) != nullptr) return true;
    const RequestLogEntry entry = entryOf(object, origin);
    if (!entry.input && isText(object)) return true;
    const bool ours = object.contains("input_tokens") && object.contains("output_tokens");
    const bool arrives = std::any_of(object.items().begin(), object.items().end(), [](const auto& one) { return arrivalUnit(plainName(one.key())).has_value() && one.key() != "arrival"; });
    return entry.input && entry.output && (!ours || arrives);
}

std::optional<RequestList> readForeignRequests(std::string_view text, const std::string& fileName, int hashBlockSize, Problems& problems) {
    RequestLogBuilder log(fileName, hashBlockSize, problems);
    std::int64_t origin = -1;
    const char first = firstLetter(text);
    if (first == '[') {
        const Json list = Json::parse(text, nullptr, false);
        if (!list.is_array()) log.report("malformed-request", 1, "The list is no sound JSON.", "Give one JSON object for each request.");
        for (std::size_t i = 0; list.is_array() && i < list.size() && !log.isFull(); ++i) readObject(list[i], 0, origin, log);
    } else if (first == '{' && isSpanLog(text)) {
        readSpans(text, log);
    } else if (first == '{') {
        LineCutter lines(text);
        for (std::string_view line; !log.isFull() && lines.next(line);) readObject(Json::parse(line, nullptr, false), lines.number(), origin, log);
    } else {
        readTable(text, log);
    }
    return log.take();
}

} // namespace orrery
