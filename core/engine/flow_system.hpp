// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"

#include <queue>
#include <vector>

namespace orrery {

using ActivityId = std::uint32_t;

/// Activities that come and go on shared links: who gets which rate now, and who ends next.
///
/// Time only moves forward. When activities start or end, rates are shared out anew among those that the change can reach over
/// common links, and no others. Deterministic: same calls, same bits.
class FlowSystem {
public:
    /// Capacities in bytes/s by link.
    explicit FlowSystem(std::vector<double> capacities);
    FlowSystem(const FlowSystem&) = delete;
    FlowSystem& operator=(const FlowSystem&) = delete;

    /// Starts `bytes` (of each flow) at time `now` (s), not before the last event. `uses` stays the caller's and must outlive
    /// the activity. Ids of ended activities are used again.
    ActivityId start(double now, const FlowUse* uses, std::size_t count, double bytes, double cap = unlimitedRate);

    /// When the next activity ends, s; infinity when none is under way.
    double nextEnd();

    /// Ends all activities that end at or before `now` and adds them to `ended`, in order of their ids.
    void advance(double now, std::vector<ActivityId>& ended);

    /// Until when activities end together with one that ends at `time`.
    static double endOfMoment(double time) { return time + rounding * time; }

    /// Rate of one flow of a running activity, bytes/s, as of the last change.
    double rate(ActivityId id);

private:
    /// Equal activities on equal links get rates and ends that rounding sets apart by a few units in the last place. They are one
    /// event: told apart they would cost a sharing each, thousands of times over.
    static constexpr double rounding = 1e-12;
    static bool sameRate(double a, double b);

    struct Activity {
        const FlowUse* uses = nullptr;
        std::size_t count = 0;
        double cap = unlimitedRate;
        double left = 0;  ///< bytes of one flow at `since`
        double since = 0; ///< s
        double rate = 0;
        double end = 0;
        std::uint32_t stamp = 0; ///< counts changes of `end`; older entries of the heap are void
        bool running = false;
        bool collected = false;            ///< for the shares being made now
        std::vector<std::uint32_t> places; ///< by use: where the link's list holds it
    };
    struct Listed {
        ActivityId activity;
        std::uint32_t use;
    };
    struct End {
        double time;
        ActivityId activity;
        std::uint32_t stamp;
        bool operator>(const End& other) const { return time != other.time ? time > other.time : activity > other.activity; }
    };

    void enlist(ActivityId id);
    void delist(ActivityId id);
    void touch(FlowLink link);
    void share(); ///< new rates for all that the touched links reach
    void setRate(ActivityId id, double rate);

    const std::vector<double> capacities_;
    ProgressiveFilling filling_;
    std::vector<Activity> activities_;
    std::vector<ActivityId> free_;
    std::vector<std::vector<Listed>> users_; ///< by link: running activities that use it
    std::vector<bool> isTouched_;
    std::vector<FlowLink> touched_;
    std::vector<ActivityId> fresh_; ///< started without links since the last sharing
    std::vector<ActivityId> reached_;
    std::vector<DemandView> demands_;
    std::vector<double> rates_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    double now_ = 0;
};

/// A transfer of its own over a fixed path.
struct PointFlow {
    double start = 0; ///< s
    double bytes = 0;
    std::vector<FlowLink> path; ///< a link named twice is crossed twice
    double cap = unlimitedRate; ///< bytes/s it can use at most
};

/// When each flow ends, s, if all links are shared max-min fairly and a change of rates takes no time. No latency.
std::vector<double> finishTimes(const std::vector<double>& capacities, const std::vector<PointFlow>& flows);

} // namespace orrery
