// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/kineto_reader.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/records/traces/device_events.hpp"
#include "core/records/traces/loose_json.hpp"
#include "core/records/traces/plain_json.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <utility>

namespace orrery {
namespace {

/// A place in the text that somebody else sees as well: the parser keeps its own to itself.
class WatchedPlace {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    WatchedPlace() = default;
    WatchedPlace(const char* at, const char** seen) : at_(at), seen_(seen) {}
    const char& operator*() const { return *at_; }
    WatchedPlace& operator++() {
        *seen_ = ++at_;
        return *this;
    }
    WatchedPlace operator++(int) {
        const WatchedPlace before = *this;
        ++*this;
        return before;
    }
    bool operator==(const WatchedPlace& other) const { return at_ == other.at_; }

private:
    const char* at_ = nullptr;
    const char** seen_ = nullptr;
};

std::string smallLetters(std::string_view text) {
    std::string small(text);
    small = lowered(std::move(small));
    return small;
}

/// Bytes of a number of this type, named in PyTorch's way for operators or for collectives; 0: another type.
std::int64_t elementBytes(const std::string& type) {
    static const std::map<std::string, std::int64_t> sizes{{"float", 4}, {"double", 8}, {"long int", 8}, {"long", 8}, {"int", 4}, {"short int", 2}, {"short", 2}, {"c10::half", 2}, {"half", 2}, {"c10::bfloat16", 2}, {"bfloat16", 2}, {"unsigned char", 1}, {"signed char", 1}, {"byte", 1}, {"char", 1}, {"bool", 1}};
    const auto found = sizes.find(smallLetters(type));
    return found == sizes.end() ? 0 : found->second;
}

/// Where the reader is in the document.
enum class Place : std::uint8_t { outermost,
                                  distributed,
                                  group_list,
                                  group,
                                  group_ranks,
                                  devices,
                                  device,
                                  events,
                                  event,
                                  arguments,
                                  dimensions,
                                  types,
                                  elsewhere };

/// A value that is neither object nor array, as it is written.
struct Scalar {
    std::string_view text;
    bool isText = false;
    bool isWhole = false;
};

/// Members of an event that matter, as written.
struct EventText {
    std::string phase, category, name, start, duration, process, thread, device, stream, correlation, id, label;
    std::string shapes, types; ///< of an operator's arguments, as one text each
    std::string bytes, address, allocated, reserved, deviceType;
    std::string collective, inputElements, type;
    std::string groupName, groupRanks, groupSize, groupStart, groupStride, source, target; ///< who takes part in a collective
    std::int64_t firstShape = -1;                                                          ///< elements of the first argument
    void clear() {
        firstShape = -1;
        for (std::string* member : {&collective, &inputElements, &type, &groupName, &groupRanks, &groupSize, &groupStart, &groupStride, &source, &target, &id, &label, &shapes, &types, &phase, &category, &name, &start, &duration, &process, &thread, &device, &stream, &correlation, &bytes, &address, &allocated, &reserved, &deviceType}) member->clear();
    }
};

class KinetoHandler : public nlohmann::json_sax<Json> {
public:
    KinetoHandler(std::string_view text, const RunControl& control) : text_(text), control_(control), seen_(text.data()) {}
    WatchedPlace begin() { return {text_.data(), &seen_}; }
    WatchedPlace end() { return {text_.data() + text_.size(), &seen_}; }
    bool isStopped() const { return stopped_; }

    TraceText take() {
        if (!hasEvents_) read_.kineto.reset();
        if (read_.kineto) {
            for (auto& [thread, open] : begun_)
                for (EventText& event : open) takeUnended(std::move(event));
            recogniseDevices(*read_.kineto);
        }
        return std::move(read_);
    }
    std::size_t brokenAt() const { return brokenAt_; }
    /// What is wrong where the text itself is sound; empty: the text isn't.
    const std::string& fault() const { return fault_; }
    std::int64_t eventsRead() const { return read_.kineto ? read_.kineto->events : 0; }
    /// Of a text that breaks off, events that can be kept.
    bool hasEvents() const { return hasEvents_ && read_.kineto && read_.kineto->events > read_.kineto->bareEvents; }

    bool null() override { return scalar({}); }
    bool boolean(bool value) override { return scalar({value ? "true" : "false", false, false}); }
    bool number_integer(number_integer_t value) override { return scalar({numberText(value), false, true}); }
    bool number_unsigned(number_unsigned_t value) override { return scalar({numberText(value), false, true}); }
    bool number_float(number_float_t, const string_t& text) override { return scalar({text, false, false}); }
    bool string(string_t& text) override { return scalar({text, true, false}); }
    bool binary(binary_t&) override { return true; }

    bool start_object(std::size_t) override {
        const Place above = place();
        Place here = Place::elsewhere;
        if (places_.empty()) here = Place::outermost;
        else if (above == Place::outermost && key_ == "distributedInfo") here = Place::distributed;
        else if (above == Place::devices) here = Place::device;
        else if (above == Place::events) here = Place::event;
        else if (above == Place::event && key_ == "args") here = Place::arguments;
        else if (above == Place::group_list) {
            ++groups_;
            here = Place::group;
            trace().groups.emplace_back();
        }
        if (here == Place::event) event_.clear();
        if (here == Place::device) ++trace().devices;
        places_.push_back(here);
        return depthIsSound();
    }
    // The same from PlainJson.
    bool beginObject() { return start_object(0); }
    bool endObject(const char* place) {
        seen_ = place;
        return end_object();
    }
    bool beginArray() { return start_array(0); }
    bool endArray() { return end_array(); }
    bool leaveEvent(std::size_t& depth) {
        while (!places_.empty() && places_.back() != Place::events) places_.pop_back();
        listed_ = nullptr;
        depth = places_.size();
        return !places_.empty();
    }
    bool member(std::string_view name) {
        key_ = name;
        if (place() == Place::outermost) read_.keys.push_back(key_);
        return true;
    }
    bool value(std::string_view text, bool isText, bool isWhole) { return scalar({text, isText, isWhole}); }

    bool end_object() override {
        if (place() == Place::event) {
            takeEvent();
            if (trace().events % eventsBetweenReports == 0 && !report()) return false;
        } else if (place() == Place::events) {
            takeBareEvent();
        }
        places_.pop_back();
        return true;
    }
    bool start_array(std::size_t) override {
        const Place above = place();
        Place here = Place::elsewhere;
        if (places_.empty() || (above == Place::outermost && key_ == "traceEvents")) {
            here = Place::events;
            hasEvents_ = true;
        } else if (above == Place::outermost && key_ == "deviceProperties") {
            here = Place::devices;
        } else if (above == Place::distributed && key_ == "pg_config") {
            here = Place::group_list;
        } else if (above == Place::group && key_ == "ranks") {
            here = Place::group_ranks;
        } else if (above == Place::arguments && (key_ == "Input Dims" || key_ == "Input type")) {
            here = key_ == "Input Dims" ? Place::dimensions : Place::types;
            shapes_ = 0;
            listed_ = here == Place::types ? &event_.types : &event_.shapes;
            listedFrom_ = places_.size();
        } else if (above == Place::dimensions) {
            if (++shapes_ == 1) {
                here = Place::dimensions; // numbers of the first shape; lists in it are another list of tensors
                event_.firstShape = 1;
            } else if (places_.size() > 1 && places_[places_.size() - 2] == Place::dimensions) {
                event_.firstShape = -1;
            }
        }
        if (listed_ != nullptr && places_.size() > listedFrom_) *listed_ += '[';
        places_.push_back(here);
        return depthIsSound();
    }
    bool end_array() override {
        if (place() == Place::group_list && !trace().processGroups) trace().processGroups = groups_;
        places_.pop_back();
        if (listed_ != nullptr && places_.size() > listedFrom_) *listed_ += ']';
        if (places_.size() <= listedFrom_) listed_ = nullptr;
        return true;
    }
    bool key(string_t& name) override {
        key_ = name;
        if (place() == Place::outermost) read_.keys.push_back(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        brokenAt_ = position;
        return false;
    }

private:
    static constexpr std::size_t deepest = 1000;
    static constexpr std::int64_t eventsBetweenReports = 8192;

    /// False: nobody wants the rest.
    bool report() {
        if (control_.progress) control_.progress(static_cast<double>(seen_ - text_.data()) / static_cast<double>(text_.size()));
        stopped_ = control_.stop.stop_requested();
        return !stopped_;
    }

    Place place() const { return places_.empty() ? Place::elsewhere : places_.back(); }
    KinetoTrace& trace() {
        if (!read_.kineto) {
            read_.kineto.emplace();
            // Room for as many as such a text may hold: growing step by step copies, and touches twice the memory. What stays untouched costs nothing.
            constexpr std::size_t bytesOfACall = 512, bytesOfAKernel = 1024;
            read_.kineto->operators.reserve(text_.size() / bytesOfACall);
            read_.kineto->runtimeCalls.reserve(text_.size() / bytesOfACall);
            read_.kineto->device.reserve(text_.size() / bytesOfAKernel);
        }
        return *read_.kineto;
    }
    bool depthIsSound() {
        if (places_.size() <= deepest) return true;
        fault_ = "objects and lists stand more than a thousand deep in each other";
        return false;
    }
    template <typename Number>
    std::string_view numberText(Number value) {
        const auto end = std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr;
        return {digits_.data(), static_cast<std::size_t>(end - digits_.data())};
    }

    bool scalar(const Scalar& value) {
        if (listed_ != nullptr) takeListed(value.text);
        switch (place()) {
        case Place::event: takeMember(value); break;
        case Place::arguments: takeArgument(value); break;
        case Place::distributed: takeDistributed(value); break;
        case Place::device:
            if (key_ == "name" && trace().deviceName.empty()) trace().deviceName = value.text;
            if (trace().devices == 1 && key_ == "totalGlobalMem") trace().deviceMemory = std::max<std::int64_t>(0, wholeNumber(value.text).value_or(0));
            if (trace().devices == 1 && key_ == "numSms") trace().deviceProcessors = std::max<std::int64_t>(0, wholeNumber(value.text).value_or(0));
            break;
        case Place::group_list: ++groups_; break;
        case Place::group: takeGroup(value); break;
        case Place::group_ranks:
            if (const auto rank = wholeNumber(value.text)) trace().groups.back().ranks.push_back(*rank);
            break;
        case Place::dimensions: takeDimension(value); break;
        case Place::types:
            if (event_.type.empty()) event_.type = value.text;
            break;
        case Place::events: takeBareEvent(); break;
        case Place::outermost:
        case Place::devices:
        case Place::elsewhere: break;
        }
        return true;
    }

    /// An entry of a list of shapes or types, without what the list itself is written with.
    void takeListed(std::string_view text) {
        std::copy_if(text.begin(), text.end(), std::back_inserter(*listed_), [](char c) { return std::string_view("[],|").find(c) == std::string_view::npos; });
        *listed_ += ',';
    }

    template <typename Members> void takeNamed(const Scalar& value, const Members& members) {
        for (const auto& [name, member] : members)
            if (key_ == name) {
                event_.*member = value.text;
                return;
            }
    }

    void takeMember(const Scalar& value) {
        static const std::pair<std::string_view, std::string EventText::*> members[] = {{"ph", &EventText::phase}, {"cat", &EventText::category}, {"name", &EventText::name}, {"ts", &EventText::start}, {"dur", &EventText::duration}, {"pid", &EventText::process}, {"tid", &EventText::thread}, {"id", &EventText::id}};
        takeNamed(value, members);
    }

    void takeArgument(const Scalar& value) {
        static const std::pair<std::string_view, std::string EventText::*> members[] = {{"device", &EventText::device}, {"stream", &EventText::stream}, {"correlation", &EventText::correlation}, {"Bytes", &EventText::bytes}, {"Addr", &EventText::address}, {"Total Allocated", &EventText::allocated}, {"Total Reserved", &EventText::reserved}, {"Device Type", &EventText::deviceType}, {"Collective name", &EventText::collective}, {"In msg nelems", &EventText::inputElements}, {"dtype", &EventText::type}, {"Process Group Name", &EventText::groupName}, {"Process Group Ranks", &EventText::groupRanks}, {"Group size", &EventText::groupSize}, {"Global rank start", &EventText::groupStart}, {"Global rank stride", &EventText::groupStride}, {"Src Rank", &EventText::source}, {"Dst Rank", &EventText::target}, {"name", &EventText::label}, {"labels", &EventText::label}, {"sort_index", &EventText::label}};
        takeNamed(value, members);
    }

    void takeDimension(const Scalar& value) {
        constexpr std::int64_t mostElements = std::int64_t{1} << 50;
        const std::int64_t length = wholeNumber(value.text).value_or(-1);
        if (event_.firstShape < 0) return;
        event_.firstShape = length < 0 || (length > 0 && event_.firstShape > mostElements / length) ? -1 : event_.firstShape * length;
    }

    /// A collective that this event says something of.
    void takeCollective(CollectiveCall call, const std::string& name, std::int64_t elements) {
        constexpr std::int64_t mostElements = std::int64_t{1} << 50;
        call.kind = collectiveCalled(name);
        const std::int64_t size = elementBytes(event_.type);
        if (size > 0 && elements >= 0 && elements <= mostElements) call.inputBytes = elements * size;
        call.members = membersOf();
        call.source = wholeNumber(event_.source).value_or(-1);
        call.target = wholeNumber(event_.target).value_or(-1);
        trace().collectiveCalls.push_back(call);
    }

    /// The group that the event names: rank by rank, or by its first rank and the distance between them (PyTorch shortens long lists), or by the name of one that
    /// the file lists at its head.
    std::uint32_t membersOf() {
        constexpr std::int64_t mostMembers = 1 << 20;
        std::vector<std::int64_t> ranks = listedRanks(event_.groupRanks);
        const std::int64_t size = wholeNumber(event_.groupSize).value_or(0), start = wholeNumber(event_.groupStart).value_or(-1), stride = wholeNumber(event_.groupStride).value_or(-1);
        if (ranks.empty() && size > 0 && size <= mostMembers && start >= 0 && start <= mostMembers && stride > 0 && stride <= mostMembers)
            for (std::int64_t i = 0; i < size; ++i) ranks.push_back(start + i * stride);
        if (ranks.empty() && !event_.groupName.empty())
            for (const ProcessGroup& group : trace().groups)
                if (group.name == event_.groupName) ranks = group.ranks;
        if (ranks.empty()) return CollectiveCall::noMembers;
        std::sort(ranks.begin(), ranks.end());
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        return numberOf(ranks, members_, trace().memberLists);
    }
    /// "[0, 1, 2]"; nothing for a list that is cut short or none.
    static std::vector<std::int64_t> listedRanks(std::string_view text) {
        std::vector<std::int64_t> ranks;
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') return ranks;
        text = text.substr(1, text.size() - 2);
        while (!text.empty()) {
            const std::size_t comma = std::min(text.find(','), text.size());
            std::string_view one = text.substr(0, comma);
            while (one.starts_with(' ')) one.remove_prefix(1);
            const auto rank = wholeNumber(one);
            if (!rank || *rank < 0) return {};
            ranks.push_back(*rank);
            text.remove_prefix(std::min(text.size(), comma + 1));
        }
        return ranks;
    }

    static std::optional<std::int64_t> wholeNumber(std::string_view text) {
        std::int64_t read = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
        return error == std::errc() && end == text.data() + text.size() ? std::optional(read) : std::nullopt;
    }

    void takeDistributed(const Scalar& value) {
        if (key_ == "rank") trace().rank = wholeNumber(value.text);
        else if (key_ == "world_size") trace().worldSize = wholeNumber(value.text);
        else if (key_ == "pg_count") trace().processGroups = wholeNumber(value.text);
        else if (key_ == "backend") trace().backend = value.text;
    }

    void takeGroup(const Scalar& value) {
        ProcessGroup& group = trace().groups.back();
        if (key_ == "pg_name") group.name = value.text;
        else if (key_ == "pg_desc") group.description = value.text;
        else if (key_ == "pg_size") group.size = std::max<std::int64_t>(0, wholeNumber(value.text).value_or(0));
    }

    void takeBareEvent() {
        ++trace().events;
        ++trace().bareEvents;
    }

    /// Keeps what is there of an event that has no place of its own.
    void takeOther() {
        const auto start = nanosecondsOf(event_.start), duration = nanosecondsOf(event_.duration);
        OtherEvent other;
        other.timed = start && isSound(*start);
        other.lasting = duration && isSound(*duration);
        if (other.timed) other.when = {*start, *start + (other.lasting ? std::max<std::int64_t>(0, *duration) : 0)};
        other.phase = numberOf(event_.phase, names_, trace().names);
        other.category = numberOf(event_.category, names_, trace().names);
        other.name = nameOf();
        other.thread = threadOf();
        const std::string& said = event_.phase == "M" ? event_.label : event_.id;
        if (!said.empty()) other.id = numberOf(said, names_, trace().names);
        if (!event_.stream.empty()) other.stream = numberOf(Pair(event_.device.empty() ? event_.process : event_.device, event_.stream), otherStreams_, trace().otherStreams);
        trace().others.push_back(other);
    }

    void takeEvent() {
        constexpr std::size_t mostBegun = 100'000; // a file of beginnings alone
        if (event_.phase == "B" && begunEvents_ < mostBegun) {
            ++begunEvents_;
            begun_[Pair(event_.process, event_.thread)].push_back(std::move(event_));
            event_ = {};
            return;
        }
        if (event_.phase == "E" && endsBegun()) return;
        if (!hasOwnPlace()) takeOther();
    }
    /// Makes one event of its beginning and its end, which ends what began last on its thread.
    bool endsBegun() {
        const auto open = begun_.find(Pair(event_.process, event_.thread));
        if (open == begun_.end() || open->second.empty()) return false;
        EventText whole = std::move(open->second.back());
        open->second.pop_back();
        --begunEvents_;
        const auto start = nanosecondsOf(whole.start), end = nanosecondsOf(event_.start);
        for (const auto argument : {&EventText::device, &EventText::stream, &EventText::correlation})
            if ((whole.*argument).empty()) whole.*argument = event_.*argument;
        if (start && end && isSound(*start) && isSound(*end)) {
            const std::int64_t lasts = std::max<std::int64_t>(0, *end - *start);
            const std::string decimals = std::to_string(1000 + lasts % 1000);
            whole.duration = std::to_string(lasts / 1000) + '.' + decimals.substr(1);
        }
        whole.phase = "X";
        event_ = std::move(whole);
        if (!hasOwnPlace()) takeOther();
        return true;
    }
    void takeUnended(EventText event) {
        event_ = std::move(event);
        if (!hasOwnPlace()) takeOther();
    }

    /// Whether the event is one of those that have a list of their own, in which it then stands.
    bool hasOwnPlace() {
        KinetoTrace& to = trace();
        ++to.events;
        const bool memoryKept = event_.name == "[memory]" && takeMemory();
        if (event_.phase == "s") ++to.flowStarts;
        if (event_.category == "user_annotation" && event_.name.starts_with("ProfilerStep") &&
            std::find(to.profilerSteps.begin(), to.profilerSteps.end(), event_.name) == to.profilerSteps.end())
            to.profilerSteps.push_back(event_.name);
        if (event_.phase != "X") return memoryKept;
        ++to.completeEvents;
        const bool isOperator = event_.category == "cpu_op" || event_.category == "Operator";
        if (isOperator) ++to.hostOperators;
        const auto work = deviceWorkOf(event_.category);
        const bool isRuntime = !work && isRuntimeCategory(event_.category);
        const bool isCollective = event_.category == "user_annotation" && event_.name.starts_with("nccl:");
        if (!work && !isOperator && !isRuntime && !isCollective) return memoryKept;
        const auto start = nanosecondsOf(event_.start), duration = nanosecondsOf(event_.duration);
        if (!start || !isSound(*start) || !isSound(duration.value_or(0))) {
            to.unreadable.add(to.events - 1);
            return memoryKept;
        }
        if (duration.value_or(0) < 0) to.negative.add(to.events - 1);
        const Interval when{*start, *start + std::max<std::int64_t>(0, duration.value_or(0))};
        const std::int64_t correlation = wholeNumber(event_.correlation).value_or(-1);
        if (isCollective) {
            takeCollective({.when = when, .thread = threadOf()}, event_.name, event_.firstShape);
        } else if (work) {
            const std::uint32_t name = nameOf();
            const bool communication = *work == DeviceWork::kernel && communicates(name);
            to.device.push_back({when, *work, communication, streamOf(), name, correlation});
            if (*work == DeviceWork::kernel && !event_.collective.empty()) // by whatever rules it is sorted later
                takeCollective({.when = when, .deviceEvent = static_cast<std::uint32_t>(to.device.size() - 1)}, event_.collective, wholeNumber(event_.inputElements).value_or(-1));
        } else {
            (isRuntime ? to.runtimeCalls : to.operators).push_back({when, threadOf(), nameOf(), correlation, isOperator ? shapesOf() : HostCall::noShapes});
            if (isOperator && event_.name == "record_param_comms" && collectiveCalled(event_.collective) != CollectiveKind::none)
                takeCollective({.when = when, .thread = to.operators.back().thread, .hostOperator = static_cast<std::uint32_t>(to.operators.size() - 1)}, event_.collective, wholeNumber(event_.inputElements).value_or(-1));
        }
        return true;
    }

    std::uint32_t shapesOf() {
        if (event_.shapes.empty()) return HostCall::noShapes;
        return numberOf(event_.shapes + '|' + event_.types, shapeLists_, trace().shapes);
    }

    /// Clocks of a damaged file may say anything; what lies a century away is no time of a trace, and sums of such times overflow.
    static bool isSound(std::int64_t nanoseconds) {
        constexpr std::int64_t century = 3'000'000'000'000'000'000;
        return -century < nanoseconds && nanoseconds < century;
    }

    bool takeMemory() {
        KinetoTrace& to = trace();
        ++to.memoryEvents;
        const auto when = nanosecondsOf(event_.start);
        const auto bytes = wholeNumber(event_.bytes);
        if (!when || !isSound(*when) || !bytes) return false;
        constexpr const char* host = "0"; // DeviceType::CPU of PyTorch
        to.memory.push_back({*when, threadOf(), *bytes, wholeNumber(event_.address).value_or(0), wholeNumber(event_.allocated).value_or(0), wholeNumber(event_.reserved).value_or(0), event_.deviceType != host});
        return true;
    }

    using Pair = std::pair<std::string, std::string>;

    /// The number of a value in a list that holds each once.
    template <typename Value>
    static std::uint32_t numberOf(const Value& value, std::map<Value, std::uint32_t>& numbers, std::vector<Value>& list) {
        const auto found = numbers.lower_bound(value);
        if (found != numbers.end() && found->first == value) return found->second;
        list.push_back(value);
        return numbers.emplace_hint(found, value, static_cast<std::uint32_t>(numbers.size()))->second;
    }
    /// A name is looked at once: the rules cost more than all else of an event.
    bool communicates(std::uint32_t name) {
        if (communicates_.size() <= name) communicates_.resize(name + 1);
        if (!communicates_[name]) communicates_[name] = isCommunication(trace().names[name]);
        return *communicates_[name];
    }
    std::uint32_t streamOf() {
        return numberOf(Pair(event_.device.empty() ? event_.process : event_.device, event_.stream.empty() ? event_.thread : event_.stream), streams_, trace().streams);
    }
    std::uint32_t threadOf() { return numberOf(Pair(event_.process, event_.thread), threads_, trace().threads); }
    std::uint32_t nameOf() { return numberOf(event_.name, names_, trace().names); }

    std::string_view text_;
    const RunControl& control_;
    const char* seen_;
    bool stopped_ = false;
    TraceText read_;
    bool hasEvents_ = false;
    std::vector<Place> places_;
    std::string key_;
    EventText event_;
    std::int64_t groups_ = 0;
    std::size_t shapes_ = 0;        ///< of the list of shapes that is read
    std::string* listed_ = nullptr; ///< where its text goes
    std::size_t listedFrom_ = 0;    ///< how deep the list stands
    std::map<std::string, std::uint32_t> shapeLists_;
    std::map<Pair, std::uint32_t> streams_, otherStreams_, threads_;
    std::map<Pair, std::vector<EventText>> begun_; ///< by process and thread, what has not ended yet
    std::size_t begunEvents_ = 0;
    std::map<std::string, std::uint32_t> names_;
    std::map<std::vector<std::int64_t>, std::uint32_t> members_;
    std::vector<std::optional<bool>> communicates_; ///< by name
    std::array<char, 24> digits_{};
    std::size_t brokenAt_ = 0;
    std::string fault_;
};

/// JSON in UTF-16 or UTF-32 has a mark of its order of bytes, or a zero beside its first bracket.
bool isWide(std::string_view text) {
    return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'));
}

} // namespace

CollectiveKind collectiveCalled(std::string_view name) {
    std::string plain = smallLetters(name);
    std::erase(plain, '_');
    static constexpr std::pair<std::string_view, CollectiveKind> words[] = {{"allreduce", CollectiveKind::all_reduce}, {"allgather", CollectiveKind::all_gather}, {"reducescatter", CollectiveKind::reduce_scatter}, {"alltoall", CollectiveKind::all_to_all}, {"broadcast", CollectiveKind::broadcast}, {"send", CollectiveKind::send_receive}, {"recv", CollectiveKind::send_receive}};
    for (const auto& [word, kind] : words)
        if (plain.find(word) != std::string::npos) return kind;
    return CollectiveKind::none;
}

std::optional<TraceText> readTraceText(std::string_view text, const std::string& fileName, Problems& problems, const RunControl& control) {
    const auto accept = [&](KinetoHandler& handler) {
        TraceText read = handler.take();
        if (read.kineto) {
            dropUnsetTimes(*read.kineto, fileName, problems);
            warnOfDamage(*read.kineto, "event", fileName, problems);
            warnOfDuplicates(*read.kineto, fileName, problems);
            warnOfJump(*read.kineto, fileName, problems);
            warnOfNothing(*read.kineto, fileName, problems);
        }
        return read;
    };
    if (isWide(text)) {
        problems.push_back(traceFault("wrong-encoding", fileName, "The trace is in UTF-16 or UTF-32, which its byte 0 says; nothing of it is kept.", "Write it in UTF-8."));
        return std::nullopt;
    }
    {
        KinetoHandler handler(text, control);
        if (PlainJson<KinetoHandler>(text, handler).walk()) return accept(handler);
        if (handler.isStopped()) return std::nullopt;
    }
    {
        KinetoHandler handler(text, control);
        LooseJson<KinetoHandler> walk(text, handler);
        const bool walked = walk.walk();
        if (handler.isStopped()) return std::nullopt;
        if (walked && handler.hasEvents()) {
            warnOfRepairs(walk.repairs(), text.size(), handler.eventsRead(), fileName, problems);
            return accept(handler);
        }
    }
    // The full parser knows what is wrong, and where.
    KinetoHandler handler(text, control);
    if (Json::sax_parse(handler.begin(), handler.end(), &handler)) return accept(handler);
    if (handler.isStopped()) return std::nullopt;
    const std::string before = "; none of the " + std::to_string(handler.eventsRead()) + " events before is kept.";
    if (!handler.fault().empty()) problems.push_back(traceFault("too-deep", fileName, "In the trace " + handler.fault() + before, "Record again: no profiler writes such a file."));
    else problems.push_back(traceFault("broken-json", fileName, "The trace breaks at byte " + std::to_string(handler.brokenAt()) + " of " + std::to_string(text.size()) + before, "Copy the file again, whole: it is cut off or damaged."));
    return std::nullopt;
}

} // namespace orrery
