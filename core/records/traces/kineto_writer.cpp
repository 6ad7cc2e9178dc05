// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/kineto_writer.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <unordered_map>

namespace orrery {
namespace {

/// The types, each with a comma behind it; those of a list of tensors stand in brackets or are one word for all.
std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (comma == std::string_view::npos) break;
        std::string word(text.substr(0, comma));
        std::erase(word, '[');
        std::erase(word, ']');
        words.push_back(std::move(word));
        text.remove_prefix(comma + 1);
    }
    return words;
}

/// Reads "[16,559,][[2,],[3,],][]": a list in brackets is a shape, one that holds lists is a list of tensors.
class ShapeReader {
public:
    explicit ShapeReader(std::string_view text) : rest_(text) {}

    std::vector<ArgumentShape> arguments(const std::vector<std::string>& types) {
        std::vector<ArgumentShape> list;
        while (!rest_.empty()) {
            const std::string type = list.size() < types.size() ? types[list.size()] : std::string();
            ArgumentShape argument;
            if (rest_.front() == '[') {
                if (!readList(argument, 0)) break;
            } else {
                skipScalar();
            }
            const bool scalar = type == "Scalar" || type.empty() || type == "ScalarList";
            if (argument.size() == 1 && argument.front().dimensions.empty() && scalar) argument.clear(); // no tensor has an empty shape and no type
            for (TensorShape& tensor : argument) tensor.type = type;
            list.push_back(std::move(argument));
        }
        return list;
    }

private:
    static constexpr int deepest = 8;

    void skipScalar() {
        const std::size_t comma = rest_.find(',');
        rest_.remove_prefix(comma == std::string_view::npos ? rest_.size() : comma + 1);
    }
    bool readList(ArgumentShape& argument, int depth) {
        if (depth > deepest) return false;
        rest_.remove_prefix(1);
        TensorShape tensor;
        bool holdsLists = false;
        while (!rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '[') {
                holdsLists = true;
                if (!readList(argument, depth + 1)) return false;
                continue;
            }
            std::int64_t length = 0;
            const auto [end, wrong] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
            if (wrong != std::errc() || length < 0) return false;
            tensor.dimensions.push_back(length);
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            if (rest_.empty() || rest_.front() != ',') return false;
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return false;
        rest_.remove_prefix(1);
        if (!holdsLists) argument.push_back(std::move(tensor));
        return true;
    }

    std::string_view rest_;
};

/// A list as it is kept, as JSON.
std::string listJson(std::string_view text, bool words) {
    std::string json = "[";
    std::size_t at = 0;
    const auto separate = [&] {
        if (json.back() != '[') json += ',';
    };
    while (at < text.size()) {
        if (text[at] == '[' || text[at] == ']') {
            if (text[at] == '[') separate();
            json += text[at++];
            continue;
        }
        std::size_t comma = text.find(',', at);
        if (comma == std::string_view::npos) comma = text.size();
        const std::string word(text.substr(at, comma - at));
        separate();
        std::int64_t number = 0;
        const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool whole = !words && wrong == std::errc() && end == word.data() + word.size();
        json += whole ? word : Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
        at = comma + 1;
    }
    return json + ']';
}

} // namespace

std::vector<ArgumentShape> argumentShapes(std::string_view text) {
    const std::size_t bar = text.find('|');
    return ShapeReader(text.substr(0, bar)).arguments(wordsOf(bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1)));
}

std::string shapesText(std::string_view text) {
    const std::size_t bar = text.find('|');
    return R"("Input Dims":)" + listJson(text.substr(0, bar), false) + R"(,"Input type":)" + listJson(bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1), true);
}

namespace {

std::string quotedText(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Microseconds with the three decimals that keep the nanosecond: a double has too few digits for the clock of today.
std::string microsecondsText(std::int64_t nanoseconds) {
    const bool below = nanoseconds < 0;
    const auto size = static_cast<std::uint64_t>(below ? -nanoseconds : nanoseconds);
    const std::string decimals = std::to_string(size % 1000);
    return (below ? "-" : "") + std::to_string(size / 1000) + "." + std::string(3 - decimals.size(), '0') + decimals;
}

Json devicesOf(const KinetoTrace& trace) {
    Json devices = Json::array();
    for (std::int64_t i = 0; i < std::max<std::int64_t>(trace.devices, trace.deviceName.empty() ? 0 : 1); ++i) {
        devices.push_back({{"id", i}, {"name", trace.deviceName}});
        if (trace.deviceMemory > 0) devices.back()["totalGlobalMem"] = trace.deviceMemory;
        if (trace.deviceProcessors > 0) devices.back()["numSms"] = trace.deviceProcessors;
    }
    return devices;
}

class TraceEventWriter {
public:
    TraceEventWriter(const KinetoTrace& trace, std::ostream& out) : trace_(trace), out_(out) {
        for (const std::string& name : trace.names) names_.push_back(quotedText(name));
        const auto quotedPairs = [](const std::vector<std::pair<std::string, std::string>>& pairs) {
            std::vector<std::pair<std::string, std::string>> list;
            list.reserve(pairs.size());
            for (const auto& [first, second] : pairs) list.emplace_back(quotedText(first), quotedText(second));
            return list;
        };
        streams_ = quotedPairs(trace.streams);
        threads_ = quotedPairs(trace.threads);
    }

    void write() {
        Json head = {{"schemaVersion", 1}};
        if (Json devices = devicesOf(trace_); !devices.empty()) head["deviceProperties"] = std::move(devices);
        Json distributed = Json::object();
        if (!trace_.backend.empty()) distributed["backend"] = trace_.backend;
        if (trace_.rank) distributed["rank"] = *trace_.rank;
        if (trace_.worldSize) distributed["world_size"] = *trace_.worldSize;
        if (trace_.processGroups) distributed["pg_count"] = *trace_.processGroups;
        for (const ProcessGroup& group : trace_.groups) distributed["pg_config"].push_back({{"pg_name", group.name}, {"pg_desc", group.description}, {"pg_size", group.size}, {"ranks", group.ranks}});
        if (!distributed.empty()) head["distributedInfo"] = std::move(distributed);
        std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
        text.pop_back();
        out_ << text << ",\"traceEvents\":[";
        if (trace_.others.empty()) writeSteps();
        for (std::int64_t i = 0; i < trace_.bareEvents; ++i) {
            out_ << (first_ ? "\n0" : ",\n0");
            first_ = false;
        }
        for (const OtherEvent& event : trace_.others) writeOther(event);
        writeOperators();
        for (const HostCall& call : trace_.runtimeCalls) writeCall(call, "cuda_runtime");
        writeCollectiveCalls();
        writeDevice();
        for (const MemoryEvent& event : trace_.memory) writeMemory(event);
        out_ << "\n]}\n";
    }

private:
    std::ostream& begin() {
        out_ << (first_ ? "\n{" : ",\n{");
        first_ = false;
        return out_;
    }
    void place(const std::pair<std::string, std::string>& where, const Interval& when) {
        out_ << R"(,"pid":)" << where.first << R"(,"tid":)" << where.second << R"(,"ts":)" << microsecondsText(when.start) << R"(,"dur":)" << microsecondsText(when.end - when.start);
    }

    /// Steps have kept their names alone; they are marked where the trace begins.
    void writeSteps() {
        std::int64_t first = 0;
        if (!trace_.operators.empty()) first = trace_.operators.front().when.start;
        else if (!trace_.device.empty()) first = trace_.device.front().when.start;
        for (const std::string& step : trace_.profilerSteps) begin() << R"("ph":"X","cat":"user_annotation","name":)" << quotedText(step) << R"(,"pid":0,"tid":0,"ts":)" << microsecondsText(first) << R"(,"dur":0})";
    }
    void writeOperators() {
        std::unordered_map<std::uint32_t, const CollectiveCall*> said;
        for (const CollectiveCall& call : trace_.collectiveCalls)
            if (call.hostOperator != CollectiveCall::noEvent) said[call.hostOperator] = &call;
        for (std::uint32_t i = 0; i < trace_.operators.size(); ++i) {
            const auto call = said.find(i);
            writeCall(trace_.operators[i], "cpu_op", call == said.end() ? nullptr : call->second);
        }
    }
    void writeCall(const HostCall& call, const char* category, const CollectiveCall* collective = nullptr) {
        begin() << R"("ph":"X","cat":")" << category << R"(","name":)" << names_[call.name];
        place(threads_[call.thread], call.when);
        std::string arguments = call.correlation >= 0 ? R"("correlation":)" + std::to_string(call.correlation) : std::string();
        if (call.shapes != HostCall::noShapes) arguments += (arguments.empty() ? "" : ",") + shapesText(trace_.shapes[call.shapes]);
        if (collective != nullptr) arguments += (arguments.empty() ? "" : ",") + collectiveText(*collective);
        if (!arguments.empty()) out_ << R"(,"args":{)" << arguments << "}";
        out_ << "}";
    }
    void writeOther(const OtherEvent& event) {
        const auto& thread = threads_[event.thread];
        begin() << R"("ph":)" << names_[event.phase] << R"(,"name":)" << names_[event.name] << R"(,"pid":)" << thread.first << R"(,"tid":)" << thread.second;
        if (!trace_.names[event.category].empty()) out_ << R"(,"cat":)" << names_[event.category];
        if (event.timed) out_ << R"(,"ts":)" << microsecondsText(event.when.start);
        if (event.lasting) out_ << R"(,"dur":)" << microsecondsText(event.when.end - event.when.start);
        const bool metadata = trace_.names[event.phase] == "M";
        if (event.id != OtherEvent::noId && !metadata) out_ << R"(,"id":)" << names_[event.id];
        if (event.id != OtherEvent::noId && metadata) {
            const std::string& name = trace_.names[event.name];
            const char* key = name.ends_with("labels") ? "labels" : name.ends_with("sort_index") ? "sort_index"
                                                                                                 : "name";
            out_ << R"(,"args":{")" << key << R"(":)" << names_[event.id] << "}";
        }
        if (trace_.names[event.phase] == "f") out_ << R"(,"bp":"e")";
        out_ << "}";
    }
    void writeCollectiveCalls() {
        for (const CollectiveCall& call : trace_.collectiveCalls) {
            if (call.deviceEvent != CollectiveCall::noEvent || call.hostOperator != CollectiveCall::noEvent) continue;
            begin() << R"("ph":"X","cat":"user_annotation","name":"nccl:)" << toString(call.kind) << '"';
            place(threads_[call.thread], call.when);
            if (call.inputBytes >= 0) out_ << R"(,"args":{"Input Dims":[[)" << call.inputBytes << R"(]],"Input type":["byte"]})";
            out_ << "}";
        }
    }
    /// What a kernel or operator says of its collective, as members of its arguments.
    std::string collectiveText(const CollectiveCall& call) const {
        std::string text = R"("Collective name":")" + std::string(toString(call.kind)) + '"';
        if (call.inputBytes >= 0) text += R"(,"In msg nelems":)" + std::to_string(call.inputBytes) + R"(,"dtype":"Byte")";
        if (call.members != CollectiveCall::noMembers) {
            std::string ranks;
            for (const std::int64_t rank : trace_.memberLists[call.members]) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
            text += R"(,"Process Group Ranks":"[)" + ranks + R"(]")";
        }
        if (call.source >= 0) text += R"(,"Src Rank":)" + std::to_string(call.source);
        if (call.target >= 0) text += R"(,"Dst Rank":)" + std::to_string(call.target);
        return text;
    }
    void writeDevice() {
        std::unordered_map<std::uint32_t, const CollectiveCall*> said;
        for (const CollectiveCall& call : trace_.collectiveCalls)
            if (call.deviceEvent != CollectiveCall::noEvent) said[call.deviceEvent] = &call;
        std::unordered_map<std::int64_t, const HostCall*> launches;
        for (const HostCall& call : trace_.runtimeCalls)
            if (call.correlation >= 0) launches[call.correlation] = &call;
        for (std::uint32_t i = 0; i < trace_.device.size(); ++i) {
            const DeviceEvent& event = trace_.device[i];
            const auto& stream = streams_[event.stream];
            begin() << R"("ph":"X","cat":")" << (event.work == DeviceWork::kernel ? "kernel" : event.work == DeviceWork::copy ? "gpu_memcpy"
                                                                                                                              : "gpu_memset")
                    << R"(","name":)" << names_[event.name];
            place(stream, event.when);
            out_ << R"(,"args":{"device":)" << stream.first << R"(,"stream":)" << stream.second;
            if (event.correlation >= 0) out_ << R"(,"correlation":)" << event.correlation;
            if (event.communication) out_ << R"(,"communication":true)";
            if (const auto call = said.find(i); call != said.end()) out_ << ',' << collectiveText(*call->second);
            out_ << "}}";
            if (const auto launch = launches.find(event.correlation); trace_.others.empty() && event.correlation >= 0 && launch != launches.end()) writeArrow(*launch->second, event);
        }
    }
    void writeArrow(const HostCall& launch, const DeviceEvent& event) {
        const auto end = [&](const char* head, const std::pair<std::string, std::string>& where, std::int64_t when) {
            begin() << head << R"(,"cat":"ac2g","name":"ac2g","id":)" << event.correlation << R"(,"pid":)" << where.first << R"(,"tid":)" << where.second << R"(,"ts":)" << microsecondsText(when) << "}";
        };
        end(R"("ph":"s")", threads_[launch.thread], launch.when.start);
        end(R"("ph":"f","bp":"e")", streams_[event.stream], event.when.start);
    }
    void writeMemory(const MemoryEvent& event) {
        const auto& thread = threads_[event.thread];
        begin() << R"("ph":"i","s":"t","name":"[memory]","pid":)" << thread.first << R"(,"tid":)" << thread.second << R"(,"ts":)" << microsecondsText(event.when) << R"(,"args":{"Bytes":)" << event.bytes << R"(,"Addr":)" << event.address << R"(,"Total Allocated":)" << event.allocated << R"(,"Total Reserved":)" << event.reserved << R"(,"Device Type":)" << (event.onDevice ? 1 : 0) << "}}";
    }

    const KinetoTrace& trace_;
    std::ostream& out_;
    std::vector<std::string> names_;
    std::vector<std::pair<std::string, std::string>> streams_, threads_;
    bool first_ = true;
};

} // namespace

void writeKineto(const KinetoTrace& trace, std::ostream& out) { TraceEventWriter(trace, out).write(); }

} // namespace orrery
