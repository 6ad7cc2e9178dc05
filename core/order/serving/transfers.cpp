// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/transfers.hpp"

#include <limits>

namespace orrery {

void ConstantTransfers::start(int request, double bytes, int, int, double now) { ways_.emplace(now + (latency_ + bytes / bandwidth_), started_++, request); }

double ConstantTransfers::nextEvent() { return ways_.empty() ? std::numeric_limits<double>::infinity() : std::get<0>(ways_.top()); }

void ConstantTransfers::takeEnded(double now, std::vector<int>& requests) {
    for (; !ways_.empty() && std::get<0>(ways_.top()) <= now; ways_.pop()) requests.push_back(std::get<2>(ways_.top()));
}

} // namespace orrery
