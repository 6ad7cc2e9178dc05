// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/transfer_pattern.hpp"

#include "core/network/transfers/alone_timing.hpp"

namespace orrery {

AloneTime aloneTime(const TransferPattern& pattern, double bytes, const std::vector<double>& capacities) { return AloneTiming(pattern, capacities).of(bytes); }

} // namespace orrery
