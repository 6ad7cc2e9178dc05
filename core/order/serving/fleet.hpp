// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/random_stream.hpp"
#include "core/order/serving/fleet_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery {

/// How many replicas there were from a moment on.
struct FleetMoment {
    double time = 0; ///< s
    int paid = 0;    ///< starting, serving, draining or in repair
    int serving = 0; ///< that take requests
};

/// What became of a fleet's replicas.
struct FleetLog {
    std::vector<FleetMoment> moments; ///< whenever one of these numbers changed; the first at 0
    std::int64_t started = 0, stopped = 0, failures = 0;
    std::int64_t moved = 0; ///< requests that went on at another replica, each time counted

    /// Whether every replica served all the time.
    bool isSteady() const { return moments.size() <= 1; }
    /// s of replicas between two moments.
    double paidSeconds(double from, double to) const {
        double sum = 0;
        for (std::size_t i = 0; i < moments.size(); ++i) {
            const double begin = moments[i].time > from ? moments[i].time : from, next = i + 1 < moments.size() ? moments[i + 1].time : to;
            if (const double end = next < to ? next : to; end > begin) sum += moments[i].paid * (end - begin);
        }
        return sum;
    }
};

/// Which replicas serve at a time, and who waits in front of them. It knows no engine: whoever runs the requests asks when something happens, lets
/// it happen, and does what follows of it.
class Fleet {
public:
    Fleet(const FleetSettings& settings, std::size_t replicas);

    enum class Event { failure,    ///< a replica stops
                       repaired,   ///< it can be started again
                       started,    ///< it serves from now on
                       look,       ///< the autoscaler looks at what is under way
                       patience }; ///< a request has waited too long
    struct Happening {
        double time = 0; ///< s
        Event event = Event::look;
        int which = 0; ///< replica, or request

        bool operator>(const Happening& other) const { return std::tie(time, event, which) > std::tie(other.time, other.event, other.which); }
    };

    /// s; infinity: nothing more happens by itself.
    double nextEvent() const;
    /// The next of what happens by `now`; call while nextEvent() is not later.
    Happening take();

    /// Whether the replica takes requests.
    bool isOpen(int replica) const { return states_[static_cast<std::size_t>(replica)] == State::serving; }
    /// Its failure comes: whether there is anything to fail.
    bool fail(int replica, double now);
    void repair(int replica) { states_[static_cast<std::size_t>(replica)] = State::off; }
    /// Its start is over; false where it was called off meanwhile.
    bool start(int replica, double now);
    /// As many replicas as `underWay` requests ask for, or as were wanted last. `loads`: requests at each replica. Those that begin to serve at once
    /// are added to `begun`.
    void scale(int underWay, const std::vector<int>& loads, double now, std::vector<int>& begun);
    void settle(const std::vector<int>& loads, double now, std::vector<int>& begun);
    /// The last request of a replica has ended.
    void idle(int replica, double now);

    /// A request waits in front.
    void wait(int request, int priority, double arrival) { line_.emplace(priority, arrival, request); }
    bool isLineEmpty() const { return line_.empty(); }
    int lineLength() const { return static_cast<int>(line_.size()); }
    int first() const { return std::get<2>(*line_.begin()); }
    void popFirst() { line_.erase(line_.begin()); }
    /// Where more wait than may: takes the last out of whom `mayLeave` says so. −1: nobody.
    int overflow(const std::function<bool(int request)>& mayLeave);
    /// False where it waits no more.
    bool remove(int request, int priority, double arrival) { return line_.erase({priority, arrival, request}) > 0; }
    /// From now on its patience counts.
    void beginPatience(int request, double now);

    const FleetSettings& settings() const { return settings_; }
    FleetLog& log() { return log_; }

private:
    enum class State : std::uint8_t { off,
                                      starting,
                                      serving,
                                      draining,
                                      failed };
    int count(State state) const;
    void order(std::size_t replica, double now, std::vector<int>& begun);
    void drawFailure(std::size_t replica, double after);
    void note(double now);

    const FleetSettings& settings_;
    std::vector<State> states_;
    std::vector<double> ready_; ///< s, by replica: when its start is over
    std::vector<RandomStream> chances_;
    int wanted_ = 0;
    double looks_ = 0; ///< of the autoscaler until now
    std::priority_queue<Happening, std::vector<Happening>, std::greater<>> events_;
    std::set<std::tuple<int, double, int>> line_; ///< priority, arrival, request
    FleetLog log_;
};

} // namespace orrery
