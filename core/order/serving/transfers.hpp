// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

namespace orrery {

/// Keys and values on their way between instances. Behind it may stand a constant, or flows that share a network; ends may change as long as
/// they have not come.
class Transfers {
public:
    virtual ~Transfers() = default;
    /// A request's `bytes` leave instance `from` for `to` at `now`, s.
    virtual void start(int request, double bytes, int from, int to, double now) = 0;
    /// When something happens to them next, s: one ends, or goes on otherwise. Infinity: none is under way.
    virtual double nextEvent() = 0;
    /// Lets time pass to `now`, not beyond nextEvent(), and adds the requests whose transfers end then, in the order in which they are to go on.
    virtual void takeEnded(double now, std::vector<int>& requests) = 0;
};

/// Every transfer has a latency and a bandwidth for itself.
class ConstantTransfers : public Transfers {
public:
    /// `bandwidth` in bytes/s, `latency` in s.
    ConstantTransfers(double bandwidth, double latency) : bandwidth_(bandwidth), latency_(latency) {}
    void start(int request, double bytes, int from, int to, double now) override;
    double nextEvent() override;
    void takeEnded(double now, std::vector<int>& requests) override;

private:
    using Way = std::tuple<double, std::int64_t, int>; ///< end, order of start, request
    double bandwidth_, latency_;
    std::int64_t started_ = 0;
    std::priority_queue<Way, std::vector<Way>, std::greater<>> ways_;
};

} // namespace orrery
