// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/document/instance_numbers.hpp"
#include "core/scenario/serving_workload.hpp"

#include <cstdint>

namespace orrery {

/// Rules of the kinds of workload that run on engine instances: inference and serving. Each problem has a mend.

/// Keys of the document as given that only training reads: warnings "no-effect".
void warnOfTrainingKeys(const Json& document, Problems& problems);

/// A profile that is for training alone.
void checkServingProfile(const FrameworkProfile& profile, Problems& problems);

/// Heads, widths, stages and experts against one instance; `available`: the most accelerators it may have.
void checkInstance(const InstanceNumbers& numbers, std::int64_t available, const FilledDocument& document, Problems& problems);

/// Instances against the cluster's accelerators, and the `data` that is given against what they leave.
void checkInstances(const InstanceNumbers& numbers, std::int64_t accelerators, const FilledDocument& document, Problems& problems);

/// The precision against what the accelerator computes in and the engine widens.
void checkServedPrecision(const FilledDocument& document, const FrameworkProfile& profile, const Accelerator& accelerator, Problems& problems);

/// Scales of blocks of the weights against how ranks share these: vLLM and SGLang load no block that two ranks would share.
void checkServedBlocks(const InstanceNumbers& numbers, const FrameworkProfile& profile, const FilledDocument& document, Problems& problems);

/// The model that drafts against the ranks and the vocabulary of its target.
void checkDrafts(const EngineOptions& engine, const InstanceNumbers& numbers, Problems& problems);

/// Prompt and answer of a static batch against the model's positions.
void checkBatchLengths(const FilledDocument& document, std::int64_t positions, Problems& problems);

/// Arrivals and lengths of the requests; an engine's limits against each other, the model and the requests.
void checkArrivals(const FilledDocument& document, Problems& problems);
void checkEngine(const FilledDocument& document, const ServingWorkload& workload, std::int64_t positions, Problems& problems);

} // namespace orrery
