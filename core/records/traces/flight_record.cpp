// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/flight_record.hpp"

#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/records/traces/pickle.hpp"
#include "core/records/traces/trace_damage.hpp"
#include "core/records/traces/trace_figures.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace orrery {
namespace {

constexpr int deepestDump = 8;
constexpr std::size_t mostValues = 20'000'000; ///< of one dump: shared ones count each time

/// A pickle as JSON; values too deep, or beyond the most, become null.
class PickleAsJson {
public:
    explicit PickleAsJson(const Pickle& pickle) : pickle_(pickle) {}
    Json at(Pickle::Id id, int depth = 0) {
        if (depth > deepestDump || ++values_ > mostValues) return nullptr;
        const Pickle::Value& value = pickle_.at(id);
        switch (value.kind) {
        case Pickle::Kind::none: return nullptr;
        case Pickle::Kind::boolean: return value.whole != 0;
        case Pickle::Kind::whole: return value.whole;
        case Pickle::Kind::real: return value.real;
        case Pickle::Kind::text: return std::string(value.text);
        case Pickle::Kind::list: {
            Json list = Json::array();
            for (const Pickle::Id item : pickle_.items(id)) list.push_back(at(item, depth + 1));
            return list;
        }
        case Pickle::Kind::dict: {
            Json object = Json::object();
            const std::vector<Pickle::Id>& items = pickle_.pairs(id);
            for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
                const Json key = at(items[i], depth + 1);
                object[key.is_string() ? key.get<std::string>() : key.dump()] = at(items[i + 1], depth + 1);
            }
            return object;
        }
        }
        return nullptr;
    }

private:
    const Pickle& pickle_;
    std::size_t values_ = 0;
};

std::string textIn(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return "";
    if (found->is_string()) return found->get<std::string>();
    return found->is_number() ? found->dump() : "";
}

std::int64_t wholeIn(const Json& object, const char* key, std::int64_t otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

/// "[0, 1]" as a text, or the list itself.
std::vector<std::int64_t> ranksOf(const Json& said) {
    std::vector<std::int64_t> ranks;
    const Json list = said.is_string() ? Json::parse(said.get<std::string>(), nullptr, false) : said;
    if (!list.is_array()) return ranks;
    for (const Json& rank : list) {
        if (!rank.is_number_integer()) return {};
        ranks.push_back(rank.get<std::int64_t>());
    }
    return ranks;
}

std::string fileOf(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// The innermost frame that is no part of PyTorch.
std::string callerOf(const Json& entry) {
    const auto frames = entry.find("frames");
    if (frames == entry.end() || !frames->is_array()) return "";
    for (const Json& frame : *frames) {
        if (!frame.is_object()) continue;
        const std::string path = textIn(frame, "filename");
        if (path.empty() || path.find("torch/") != std::string::npos || path.ends_with(".cpp") || path.ends_with(".so") || path == "??") continue;
        return textIn(frame, "name") + " at " + fileOf(path) + ":" + std::to_string(wholeIn(frame, "line", 0));
    }
    return "";
}

/// The number that a file's name ends with, before its ending: "nccl_trace_rank_12", "trace_3.pkl.gz".
std::optional<std::int64_t> rankOfName(const std::string& path) {
    std::string name = fileOf(path);
    name = name.substr(0, name.find('.'));
    std::size_t begin = name.size();
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
    std::int64_t rank = 0;
    if (begin == name.size() || std::from_chars(name.data() + begin, name.data() + name.size(), rank).ec != std::errc()) return std::nullopt;
    return rank;
}

class DumpReader {
public:
    DumpReader(const Json& dump, FlightRecord& to) : dump_(dump), to_(to) {}

    void read() {
        to_.version = textIn(dump_, "version");
        const auto groups = dump_.find("pg_config");
        if (groups != dump_.end() && groups->is_object())
            for (const auto& [key, group] : groups->items()) {
                if (!group.is_object()) continue;
                const std::string name = textIn(group, "name");
                to_.groups[name.empty() ? key : name] = {textIn(group, "desc"), ranksOf(group.value("ranks", Json()))};
            }
        for (const Json& entry : dump_.at("entries"))
            if (entry.is_object()) addEntry(entry);
        const auto status = dump_.find("pg_status");
        if (status == dump_.end() || !status->is_object()) return;
        for (const auto& [key, one] : status->items()) {
            if (!one.is_object()) continue;
            const auto name = names_.find(key);
            to_.status[name == names_.end() ? key : name->second] = {wholeIn(one, "last_enqueued_collective", -1), wholeIn(one, "last_completed_collective", -1)};
        }
    }

private:
    void addEntry(const Json& from) {
        FlightEntry entry;
        const auto group = from.find("process_group");
        if (group != from.end() && group->is_array() && !group->empty() && (*group)[0].is_string()) {
            entry.group = (*group)[0].get<std::string>();
            if (group->size() > 1 && (*group)[1].is_string() && to_.groups[entry.group].description.empty()) to_.groups[entry.group].description = (*group)[1].get<std::string>();
        } else if (group != from.end() && group->is_string()) {
            entry.group = group->get<std::string>();
        } else {
            entry.group = textIn(from, "pg_id");
        }
        names_.try_emplace(textIn(from, "pg_id"), entry.group);
        entry.operation = textIn(from, "profiling_name");
        if (entry.operation.starts_with("nccl:")) entry.operation.erase(0, 5);
        entry.betweenTwo = from.value("is_p2p", Json(false)) == true || entry.operation.starts_with("send ") || entry.operation.starts_with("recv ");
        entry.sequence = wholeIn(from, entry.betweenTwo ? "p2p_seq_id" : "collective_seq_id", wholeIn(from, "seq_id", 0));
        const auto sizes = from.find("input_sizes");
        if (sizes != from.end() && sizes->is_array()) entry.inputs = sizes->dump(-1, ' ', false, Json::error_handler_t::replace);
        const std::string state = textIn(from, "state");
        const auto is = [&](const char* key) { const auto found = from.find(key); return found != from.end() && found->is_number(); };
        entry.completed = state == "completed" || is("time_discovered_completed_ns");
        entry.started = entry.completed || state == "started" || is("time_discovered_started_ns");
        entry.where = callerOf(from);
        to_.entries.push_back(std::move(entry));
    }

    const Json& dump_;
    FlightRecord& to_;
    std::map<std::string, std::string> names_; ///< of groups, by the number that entries and states have
};

} // namespace

std::optional<FlightRecord> readFlightRecord(std::string_view bytes, const std::string& fileName, Problems& problems) {
    const auto content = unpackedTrace(bytes, fileName, problems);
    if (!content) return std::nullopt;
    Json dump;
    if (looksLikePickle(*content)) {
        PickleFault fault;
        const auto pickle = readPickle(*content, fault);
        if (!pickle) {
            problems.push_back(traceFault("broken-pickle", fileName, "The dump can't be read at byte " + std::to_string(fault.offset) + ": " + fault.message, "Copy the file again, whole."));
            return std::nullopt;
        }
        dump = PickleAsJson(*pickle).at(pickle->root);
    } else {
        auto parsed = parseJsonText(*content, fileName, problems);
        if (!parsed) return std::nullopt;
        dump = std::move(*parsed);
    }
    const auto entries = dump.is_object() ? dump.find("entries") : dump.end();
    if (!dump.is_object() || entries == dump.end() || !entries->is_array()) {
        problems.push_back(traceFault("no-flight-record", fileName, "The file has no \"entries\": it is no dump of PyTorch's flight recorder.", "Give the files that TORCH_NCCL_DUMP_ON_TIMEOUT wrote, one a rank: /tmp/nccl_trace_rank_0 and so on."));
        return std::nullopt;
    }
    FlightRecord record;
    record.file = fileName;
    record.rank = rankOfName(fileName);
    DumpReader(dump, record).read();
    return record;
}

} // namespace orrery
