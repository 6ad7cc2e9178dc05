// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/plan_numbers.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>
#include <string>

namespace orrery {

/// The sections of a scenario as structs, from a document that passed every check and is filled in.

std::string readNotes(const FilledDocument& document);
TrainingWorkload readTraining(const FilledDocument& document);
ScheduleKind readSchedule(const FilledDocument& document);
/// The schedule that the plan runs: interleaving one chunk per stage is 1F1B (warned of).
ScheduleKind scheduleRun(const PlanNumbers& plan);
Parallelism readParallelism(const FilledDocument& document, const PlanNumbers& plan);
/// The profile's states where the scenario says in which format weights are kept.
void applyWeightPrecision(const FilledDocument& document, FrameworkProfile& profile);
Execution readExecution(const FilledDocument& document, const FrameworkProfile& profile);
/// Tokens of the busiest of the ranks that share out `experts` over the mean; experts lie in the order of their load.
double readExpertLoad(const FilledDocument& document, std::int64_t experts, std::int64_t ranks);

Economics readEconomics(const FilledDocument& document);
std::optional<Reliability> readReliability(const FilledDocument& document);

} // namespace orrery
