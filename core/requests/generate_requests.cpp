// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/requests/generate_requests.hpp"

#include "core/requests/random_stream.hpp"
#include "core/requests/sessions.hpp"

#include <algorithm>

namespace orrery {

namespace {

double gapAfter(const RequestLaw& law, RandomStream& random) {
    switch (law.process) {
    case ArrivalProcess::poisson: return random.exponential() / law.ratePerSecond;
    case ArrivalProcess::gamma: return random.gamma(law.shape) / (law.shape * law.ratePerSecond);
    default: return 0;
    }
}

} // namespace

int longestInput(const RequestLaw& law) {
    if (law.sessions && hasTurns(*law.sessions)) {
        int longest = 0;
        for (const Request& request : generateRequests(law).requests) longest = std::max(longest, request.input);
        return longest;
    }
    RandomStream inputs(law.seed, 2);
    const LengthSource input(law.input);
    int longest = 0;
    const int draws = law.input.kind == LengthKind::constant ? std::min(1, law.count) : law.count;
    for (int i = 0; i < draws; ++i) longest = std::max(longest, input.draw(inputs));
    return longest;
}

RequestList generateRequests(const RequestLaw& law) {
    RandomStream arrivals(law.seed, 1), inputs(law.seed, 2), outputs(law.seed, 3);
    const LengthSource input(law.input), output(law.output);
    RequestList list;
    if (law.process == ArrivalProcess::closed_loop) {
        list.concurrency = std::max(1, law.concurrency);
        list.ramp = law.ramp;
    }
    if (law.sharedPrefix > 0) list.hashBlockSize = law.sharedPrefix; // one block, the same in all
    list.requests.resize(static_cast<std::size_t>(std::max(0, law.count)));
    double now = 0;
    for (std::size_t i = 0; i < list.requests.size(); ++i) {
        Request& request = list.requests[i];
        if (law.process == ArrivalProcess::uniform) request.arrival = static_cast<double>(i) / law.ratePerSecond; // no sum, no drift
        else request.arrival = now;
        request.input = input.draw(inputs);
        request.output = output.draw(outputs);
        if (law.sharedPrefix > 0) request.hashes = {1};
        now += gapAfter(law, arrivals);
    }
    if (law.sessions && hasTurns(*law.sessions)) addTurns(list, law);
    return list;
}

} // namespace orrery
