// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/engine_settings.hpp"

#include <deque>
#include <set>
#include <tuple>

namespace orrery {

/// Requests that wait for a place in an engine: first come first served, or by priority, arrival and number.
class WaitingQueue {
public:
    explicit WaitingQueue(QueueOrder order) : order_(order) {}

    bool isEmpty() const { return size() == 0; }
    std::size_t size() const { return order_ == QueueOrder::fcfs ? line_.size() : sorted_.size(); }
    int first() const { return order_ == QueueOrder::fcfs ? line_.front() : std::get<2>(*sorted_.begin()); }
    void popFirst();
    void pushBack(int request, int priority, double arrival) { push(request, priority, arrival, false); }
    /// Where it was before it ran. By priority its place is the same as ever.
    void pushFront(int request, int priority, double arrival) { push(request, priority, arrival, true); }
    void remove(int request, int priority, double arrival);

private:
    void push(int request, int priority, double arrival, bool front);

    QueueOrder order_;
    std::deque<int> line_;
    std::set<std::tuple<int, double, int>> sorted_;
};

} // namespace orrery
