// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/fleet_report.hpp"

#include "core/base/units.hpp"

#include <algorithm>
#include <optional>

namespace orrery {
namespace {

constexpr std::size_t stretches = 24; ///< of a day: hours

double firstArrival(const ServingOutcome& outcome) {
    double first = 0;
    for (std::size_t i = 0; i < outcome.log.records.size(); ++i) first = i == 0 ? outcome.log.records[i].arrival : std::min(first, outcome.log.records[i].arrival);
    return first;
}

} // namespace

double paidShare(const ServingOutcome& outcome, const ServingMetrics& served) {
    if (outcome.fleet->isSteady() || !(served.duration > 0)) return 1;
    const double from = firstArrival(outcome);
    return outcome.fleet->paidSeconds(from, from + served.duration) / (served.duration * static_cast<double>(outcome.totals.size()));
}

FleetReport fleetReport(const RequestList& requests, const ServingOutcome& outcome, const ServingMetrics& served, const ServiceLevel& slo) {
    FleetReport report;
    report.log = *outcome.fleet;
    const double from = firstArrival(outcome), paid = report.log.paidSeconds(from, from + served.duration);
    report.replicaHours = paid / units::hour;
    for (const RequestRecord& record : outcome.log.records) {
        report.full += record.rejection == Rejection::fleet_full;
        report.late += record.rejection == Rejection::waited_too_long;
    }
    report.meanReplicas = served.duration > 0 ? paid / served.duration : report.log.moments.front().paid;
    for (const FleetMoment& moment : report.log.moments) report.mostReplicas = std::max(report.mostReplicas, moment.paid);
    if (!(served.duration > 0)) return report;
    report.stretches.resize(stretches);
    const double width = served.duration / stretches;
    for (std::size_t i = 0; i < stretches; ++i) {
        FleetStretch& one = report.stretches[i];
        one.start = from + static_cast<double>(i) * width;
        one.seconds = width;
        one.replicas = report.log.paidSeconds(one.start, one.start + width) / width;
    }
    const ServiceLimits limits{slo.ttft, slo.tpot, slo.e2e};
    for (std::size_t i = 0; i < requests.requests.size(); ++i) {
        const RequestRecord& record = outcome.log.records[i];
        FleetStretch& one = report.stretches[std::min(stretches - 1, static_cast<std::size_t>(std::max(0.0, (record.arrival - from) / width)))];
        ++one.arrived;
        if (record.rejection != Rejection::none) ++one.refused;
        if (!record.isCompleted()) continue;
        ++one.completed;
        one.outputTokens += requests.requests[i].output;
        if (isWithin(requests.requests[i], record, limits)) ++one.within;
    }
    return report;
}

} // namespace orrery
