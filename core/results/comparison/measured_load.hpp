// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

namespace orrery {

/// The load that a benchmark of a server put on it, as `workload.requests` of a scenario: how many requests, how they came, how long they were.
/// `document` is one run, as each program of measured_serving.hpp writes it. Null where it does not say these three.
///
/// How requests came: a limit of requests under way is a closed loop, whatever rate stands beside it is a ceiling that the loop stays below; a
/// rate without a limit is gamma arrivals of the burstiness that is said (1: poisson); neither is all at once. Of lengths that were listed one by
/// one the range is taken, with all lengths in it alike likely, else the mean.
Json loadOfBenchmark(const Json& document);

} // namespace orrery
