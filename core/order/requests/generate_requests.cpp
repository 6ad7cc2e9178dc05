// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/generate_requests.hpp"

#include "core/order/requests/random_stream.hpp"
#include "core/order/requests/sessions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery {

namespace {

double gapAfter(const RequestLaw& law, RandomStream& random) {
    switch (law.process) {
    case ArrivalProcess::poisson: return random.exponential() / law.ratePerSecond;
    case ArrivalProcess::gamma: return random.gamma(law.shape) / (law.shape * law.ratePerSecond);
    default: return 0;
    }
}

/// When something happens that a steady rate of 1 would have brought at a time: the inverse of the rate's integral, so that arrivals of a process
/// follow the curve as they would follow a clock that runs unevenly (the time-change theorem of point processes: Daley and Vere-Jones, 2003, 7.4).
class ArrivalCurve {
public:
    explicit ArrivalCurve(const RequestLaw& law) : period_(law.curvePeriod) {
        double sum = 0;
        for (const double weight : law.curve) sum += weight;
        double until = 0;
        for (const double weight : law.curve) until_.push_back(until += weight / sum);
        if (!until_.empty()) until_.back() = 1;
    }
    double operator()(double steady) const {
        if (until_.empty()) return steady;
        const double periods = std::floor(steady / period_), within = steady / period_ - periods;
        const auto part = std::min(std::upper_bound(until_.begin(), until_.end(), within), until_.end() - 1);
        const double from = part == until_.begin() ? 0 : *(part - 1);
        const double share = *part > from ? (within - from) / (*part - from) : 0;
        return (periods + (static_cast<double>(part - until_.begin()) + share) / static_cast<double>(until_.size())) * period_;
    }

private:
    double period_;
    std::vector<double> until_; ///< share of a period's requests up to the end of each part
};

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
    return longest + law.imageTokens;
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
    const ArrivalCurve curve(law);
    double now = 0;
    for (std::size_t i = 0; i < list.requests.size(); ++i) {
        Request& request = list.requests[i];
        if (law.process == ArrivalProcess::uniform) request.arrival = static_cast<double>(i) / law.ratePerSecond; // no sum, no drift
        else request.arrival = now;
        request.arrival = curve(request.arrival);
        request.input = input.draw(inputs) + law.imageTokens;
        request.output = output.draw(outputs);
        if (law.sharedPrefix > 0) request.hashes = {1};
        now += gapAfter(law, arrivals);
    }
    if (law.sessions && hasTurns(*law.sessions)) addTurns(list, law);
    return list;
}

} // namespace orrery
