// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/requests/lengths.hpp"
#include "core/requests/request.hpp"

#include <cstdint>

namespace orrery {

enum class ArrivalProcess {
    poisson,     ///< gaps by an exponential law
    uniform,     ///< equal gaps
    gamma,       ///< gaps by a gamma law: `shape` below 1 is burstier than poisson, above 1 more even
    closed_loop, ///< `concurrency` users, each sends the next request when its last has ended
    all_at_once, ///< everything at 0
};

/// Requests as a scenario describes them instead of listing them.
struct RequestLaw {
    int count = 1;
    ArrivalProcess process = ArrivalProcess::poisson;
    double ratePerSecond = 1; ///< of poisson, uniform and gamma, above 0
    double shape = 1;         ///< of gamma, above 0
    int concurrency = 1;      ///< of closed_loop
    double ramp = 0;          ///< s over which its users begin, one after the other; 0: all at once
    LengthLaw input, output;
    int sharedPrefix = 0; ///< first tokens of every prompt that are the same in all; a shorter prompt is all of it
    std::uint64_t seed = 0;
};

/// The same bytes from the same law on every machine. The first request arrives at 0; in a closed loop all do, and the run says when.
/// Arrivals, inputs and outputs are drawn apart: another rate leaves the lengths as they are.
RequestList generateRequests(const RequestLaw& law);

/// The longest prompt of these, without a list of them.
int longestInput(const RequestLaw& law);

} // namespace orrery
