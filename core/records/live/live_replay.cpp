// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_replay.hpp"

#include "core/engine/engine.hpp"
#include "core/records/live/live_classes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

/// A slice with its last step repeated until it has `steps` of them.
LiveSlice lengthened(LiveSlice slice, std::size_t steps) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < slice.events.size(); ++i)
        if (slice.events[i].kind == LiveEvent::Kind::step) ends.push_back(i);
    if (ends.size() < 2 || ends.size() >= steps) return slice;
    const std::vector<LiveSlice::Event> last(slice.events.begin() + static_cast<std::ptrdiff_t>(ends[ends.size() - 2]) + 1, slice.events.begin() + static_cast<std::ptrdiff_t>(ends.back()) + 1);
    const std::vector<LiveSlice::Event> rest(slice.events.begin() + static_cast<std::ptrdiff_t>(ends.back()) + 1, slice.events.end());
    std::uint64_t further = 0;
    for (const LiveSlice::Event& event : slice.events) further = std::max(further, event.call.operation);
    slice.events.resize(ends.back() + 1);
    for (std::size_t step = ends.size(), round = 1; step < steps; ++step, ++round)
        for (LiveSlice::Event event : last) {
            event.call.operation += further * round; // waits name calls of their own round
            slice.events.push_back(event);
        }
    slice.events.insert(slice.events.end(), rest.begin(), rest.end());
    return slice;
}

class LivePlayer {
public:
    LivePlayer(std::vector<LiveSlice> known, const LiveGroups& groups, LiveNetwork* network, double scale)
        : known_(std::move(known)), groups_(groups), network_(network), scale_(scale), classes_(known_) {}

    LiveTimes play() {
        for (std::size_t i = 0; i < known_.size(); ++i) {
            hosts_.push_back(program_.addStream());
            last_.push_back(program_.addTask(hosts_.back(), 0));
            marks_.emplace_back();
        }
        compareClasses();
        for (std::size_t i = 0; i < known_.size(); ++i) meetAll(i);
        for (auto& [key, meeting] : meetings_) lay(key, meeting);
        for (std::size_t i = 0; i < known_.size(); ++i) walk(i);
        if (!times_.fault) run();
        return std::move(times_);
    }

private:
    /// An n-th call on a shared axis, or an n-th message from one to another there.
    struct Key {
        std::size_t axis = 0;
        std::size_t from = 0, to = 0; ///< of a message; else both `nobodyKnown`
        std::int32_t tag = 0;
        std::size_t index = 0;
        bool operator<(const Key& other) const { return std::tie(axis, from, to, tag, index) < std::tie(other.axis, other.from, other.to, other.tag, other.index); }
    };
    static constexpr std::size_t nobodyKnown = ~std::size_t{0};
    struct Arrival {
        std::size_t known = 0, event = 0;
        TaskId called = noTask;
    };
    struct Meeting {
        std::vector<Arrival> arrivals;
        TaskId transfer = noTask;
        bool partnerFree = false;
    };
    struct Mark {
        std::size_t event = 0;
        TaskId task = noTask;
        enum class Kind { called,
                          waited,
                          step,
                          computed } kind = Kind::called;
        double compute = 0;
    };

    bool isAlone(const LiveSlice& slice, const LiveSlice::Event& event) const { return slice.axes[event.axis].size < 2; }

    /// Each rank beside the first that does the same work in a world of the same size.
    void compareClasses() {
        for (std::size_t i = 0; i < known_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (known_[i].world != known_[j].world || known_[i].recorded || !classes_.sameWork(i, j)) continue;
                const SliceDifference difference = compareSlices(known_[j], known_[i]);
                const std::string both = "Ranks " + std::to_string(known_[j].rank) + (known_[j].recorded ? " (recorded)" : "") + " and " + std::to_string(known_[i].rank) + " should do the same work. ";
                if (!difference.first.empty()) times_.differences.push_back(both + difference.first);
                else if (!difference.sizes.empty()) times_.differences.push_back(both + "Sizes differ: " + difference.sizes.front());
                break;
            }
    }

    /// Finds out with whom each call of a known rank meets.
    void meetAll(std::size_t of) {
        const LiveSlice& slice = known_[of];
        std::map<Key, std::size_t> counts;
        for (std::size_t i = 0; i < slice.events.size(); ++i) {
            const LiveSlice::Event& event = slice.events[i];
            if (event.kind != LiveEvent::Kind::call) continue;
            Key key{classes_.shared(of, event.axis), nobodyKnown, nobodyKnown, 0, 0};
            bool isFree = false;
            if (isPointToPoint(event.call.kind)) {
                const std::optional<std::size_t> peer = event.peer == LiveCall::nobody ? std::nullopt : classes_.at(of, event.axis, event.peer);
                isFree = !peer;
                const bool isSend = event.call.kind == CallKind::send;
                key.from = isSend ? of : peer.value_or(nobodyKnown);
                key.to = isSend ? peer.value_or(nobodyKnown) : of;
                key.tag = event.call.tag;
                if (isFree) ++times_.freePartners;
                // Sends and receives of a rank that stands for its own peer are counted apart.
                Key counter = key;
                counter.index = isSend ? 0 : 1;
                key.index = counts[counter]++;
            } else {
                key.index = counts[key]++;
            }
            Meeting& meeting = meetings_[key];
            meeting.partnerFree = meeting.partnerFree || isFree;
            meeting.arrivals.push_back({of, i, noTask});
            keys_[{of, i}] = key;
        }
    }

    /// A transfer for a meeting, on a stream of what comes one after another.
    void lay(const Key& key, Meeting& meeting) {
        const Key line{key.axis, key.from, key.to, key.tag, 0};
        const auto [stream, isNew] = lines_.try_emplace(line, 0);
        if (isNew) stream->second = program_.addStream();
        checkAlike(meeting);
        const Arrival* shown = &meeting.arrivals.front();
        for (const Arrival& arrival : meeting.arrivals)
            if (!known_[arrival.known].recorded) {
                shown = &arrival;
                break;
            }
        const LiveSlice& slice = known_[shown->known];
        const LiveSlice::Event& event = slice.events[shown->event];
        if (network_ == nullptr || slice.recorded || isAlone(slice, event)) {
            meeting.transfer = program_.addTask(stream->second, 0);
            return;
        }
        int peer = LiveCall::nobody;
        if (isPointToPoint(event.call.kind)) {
            if (event.peer == LiveCall::nobody) {
                meeting.transfer = program_.addTask(stream->second, 0);
                return;
            }
            peer = groups_.members(groups_.of(slice.rank)[event.axis].group)[static_cast<std::size_t>(event.peer)];
        }
        meeting.transfer = program_.addTransfer(stream->second, network_->transfer(slice.rank, event.axis, event.call, peer));
    }

    void checkAlike(const Meeting& meeting) {
        const Arrival& first = meeting.arrivals.front();
        const LiveSlice::Event& a = known_[first.known].events[first.event];
        for (const Arrival& other : meeting.arrivals) {
            const LiveSlice::Event& b = known_[other.known].events[other.event];
            const bool sameWorld = known_[first.known].world == known_[other.known].world;
            const bool sameSize = !sameWorld || a.call.elements == b.call.elements; // sizes may follow from the world's
            if (times_.fault || isPointToPoint(a.call.kind) || (a.call.kind == b.call.kind && a.call.type == b.call.type && sameSize)) continue;
            LiveFault fault;
            fault.code = "class-mismatch";
            fault.message = "Rank " + std::to_string(known_[other.known].rank) + (known_[other.known].recorded ? " as recorded" : "") + " does not do what stands for its class: it calls " + text(b) + at(other) + " where rank " + std::to_string(known_[first.known].rank) + (known_[first.known].recorded ? " as recorded" : "") + " calls " +
                            text(a) + at(first) + (sameWorld ? "." : "; the record is of another world size.");
            fault.ranks = {known_[other.known].rank, known_[first.known].rank};
            times_.fault = std::move(fault);
        }
    }
    static std::string text(const LiveSlice::Event& event) { return std::string(wordOf(event.call.kind)) + " of " + std::to_string(event.call.elements) + " " + std::string(elementWord(event.call.type)); }
    std::string at(const Arrival& arrival) const {
        const LiveSlice& slice = known_[arrival.known];
        const auto place = slice.places.find(slice.events[arrival.event].call.place);
        return place == slice.places.end() ? "" : " at " + placeText(place->second);
    }

    TaskId onHost(std::size_t of, double duration) { return last_[of] = program_.addTask(hosts_[of], duration); }

    void walk(std::size_t of) {
        const LiveSlice& slice = known_[of];
        std::map<std::uint64_t, std::size_t> calls; // by operation: event
        for (std::size_t i = 0; i < slice.events.size(); ++i) {
            const LiveSlice::Event& event = slice.events[i];
            const double compute = static_cast<double>(event.compute) * 1e-9 * scale_;
            const TaskId reached = onHost(of, compute);
            marks_[of].push_back({i, reached, Mark::Kind::computed, compute});
            switch (event.kind) {
            case LiveEvent::Kind::call:
                calls[event.call.operation] = i;
                program_.addDependency(meetings_.at(keys_.at({of, i})).transfer, reached);
                marks_[of].push_back({i, reached, Mark::Kind::called, 0});
                break;
            case LiveEvent::Kind::wait:
                if (const auto call = calls.find(event.call.operation); call != calls.end()) {
                    const TaskId waited = onHost(of, 0);
                    program_.addDependency(waited, meetings_.at(keys_.at({of, call->second})).transfer);
                    marks_[of].push_back({call->second, waited, Mark::Kind::waited, 0});
                }
                break;
            case LiveEvent::Kind::step: marks_[of].push_back({i, reached, Mark::Kind::step, 0}); break;
            }
        }
    }

    void run() {
        std::optional<TaskTimes> ran;
        try {
            if (network_ == nullptr) {
                ran = runProgram(program_);
            } else {
                FlowTransfers model = network_->model();
                ran = runProgram(program_, {}, &model);
            }
        } catch (const DeadlockError&) {
            LiveFault fault;
            fault.code = "virtual-deadlock";
            fault.message = "In virtual time ranks wait for each other in a circle: sends are over only when they are received. No buffer hides that at this world size.";
            for (const LiveSlice& slice : known_) fault.ranks.push_back(slice.rank);
            times_.fault = std::move(fault);
            return;
        }
        times_.ranks.reserve(known_.size());
        for (std::size_t of = 0; of < known_.size(); ++of) times_.ranks.push_back(timesOf(of, *ran));
    }

    LiveRankTimes timesOf(std::size_t of, const TaskTimes& ran) const {
        LiveRankTimes times;
        times.total = ran.end[last_[of]];
        for (const Mark& mark : marks_[of]) {
            if (mark.kind == Mark::Kind::computed) times.compute += mark.compute;
            if (mark.kind == Mark::Kind::step) times.steps.push_back(ran.end[mark.task]);
            if (mark.kind == Mark::Kind::called) times.calls.push_back({mark.event, ran.end[mark.task], ran.end[meetings_.at(keys_.at({of, mark.event})).transfer]});
        }
        times.waiting = std::max(0.0, times.total - times.compute);
        if (times.steps.size() > 1) times.iteration = (times.steps.back() - times.steps.front()) / static_cast<double>(times.steps.size() - 1);
        return times;
    }

    std::vector<LiveSlice> known_;
    const LiveGroups& groups_;
    LiveNetwork* network_;
    double scale_;
    LiveClasses classes_; ///< of known_
    Program program_;
    LiveTimes times_;
    std::vector<StreamId> hosts_;
    std::vector<TaskId> last_;
    std::vector<std::vector<Mark>> marks_;
    std::map<Key, Meeting> meetings_;
    std::map<Key, StreamId> lines_;
    std::map<std::pair<std::size_t, std::size_t>, Key> keys_; ///< by known rank and event
};

} // namespace

LiveTimes replayLive(const std::vector<LiveSlice>& known, const LiveGroups& groups, LiveNetwork* network, double computeScale) {
    std::size_t steps = 0;
    for (const LiveSlice& slice : known)
        if (!slice.recorded) steps = std::max(steps, slice.steps());
    std::vector<LiveSlice> played;
    played.reserve(known.size());
    for (const LiveSlice& slice : known) played.push_back(slice.recorded ? lengthened(slice, steps) : slice);
    return LivePlayer(std::move(played), groups, network, computeScale).play();
}

} // namespace orrery
