// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/waiting_queue.hpp"

#include <algorithm>

namespace orrery {

void WaitingQueue::popFirst() {
    if (order_ == QueueOrder::fcfs) line_.pop_front();
    else sorted_.erase(sorted_.begin());
}

void WaitingQueue::push(int request, int priority, double arrival, bool front) {
    if (order_ == QueueOrder::priority) sorted_.emplace(priority, arrival, request);
    else if (front) line_.push_front(request);
    else line_.push_back(request);
}

void WaitingQueue::remove(int request, int priority, double arrival) {
    if (order_ == QueueOrder::priority) sorted_.erase({priority, arrival, request});
    else line_.erase(std::find(line_.begin(), line_.end(), request));
}

} // namespace orrery
