// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/serving_run.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/scenario/serving_workload.hpp"

namespace orrery {

/// Share of all replicas' time, from the first arrival to the last token, that was paid for; exactly 1 where every replica served all the time.
double paidShare(const ServingOutcome& outcome, const ServingMetrics& served);

/// What a fleet's replicas made of the load, whole and in equal parts of the run; without cost and energy, which fillServedFigures adds.
FleetReport fleetReport(const RequestList& requests, const ServingOutcome& outcome, const ServingMetrics& served, const ServiceLevel& slo);

} // namespace orrery
