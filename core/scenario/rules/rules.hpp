// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/plan_numbers.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// What this version reads but cannot run yet: each becomes an error "not-supported-yet" with what would do.
/// Knows the document alone, so it also speaks when the plan is broken.
void refuseUnsupported(const Json& document, Problems& problems);

/// Tensor ranks against heads and feed-forward width; sequence parallelism.
void checkTensorRules(const PlanNumbers& plan, Problems& problems);

/// The order names each dimension once; one that is never split may be left out.
void checkRankOrder(const FilledDocument& document, Problems& problems);

/// Ranks against accelerators, and a given `data` against what they leave.
void checkRankRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems);

/// Layers against chunks, schedule, and a given layout.
void checkPipelineRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems);

/// Batch against micro-batch and data ranks; sequence length; precision against the accelerator.
void checkWorkloadRules(const PlanNumbers& plan, const FilledDocument& document, const Accelerator& accelerator, Problems& problems);

/// Expert groups against ranks and experts; what only models with experts have.
void checkExpertRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems);

/// Warns of tensor, context and expert groups that reach over scale-up domains, and names the first of each. The ranks must fit.
void checkDomainRules(const Parallelism& plan, const Cluster& cluster, Problems& problems);

/// Whether any expert group reaches over more than one scale-up domain. The ranks must fit.
bool expertsCrossDomains(const Parallelism& plan, const Cluster& cluster);

/// Scales, adapters and recomputed layers against the model.
void checkStateRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems);

/// What a toy can't have: parts of a layer. A toy that lists layers lists them for each chunk.
void checkToyRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems);

/// What a graph from elsewhere can't have: its operators are one rank's share. Names what could not be mapped.
void checkRecordedRules(const Json& document, const RecordedWorkload& workload, const PlanNumbers& plan, Problems& problems);

/// What running such a graph supposes, as assumptions of the document.
void assumeRecorded(const RecordedWorkload& workload, const std::string& pointer, FilledDocument& document);

} // namespace orrery
