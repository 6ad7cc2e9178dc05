// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transfers/transfer_pattern.hpp"

#include "core/transfers/alone_timing.hpp"

namespace orrery {

AloneTime aloneTime(const TransferPattern& pattern, double bytes, const std::vector<double>& capacities) { return AloneTiming(pattern, capacities).of(bytes); }

} // namespace orrery
