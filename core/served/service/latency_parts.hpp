// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/latency_parts.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/served/inference/step_model.hpp"
#include "core/served/service/engine_pool.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// `whole` dealt out as a step spends its time; `traffic` is the share of its products that is weights' traffic.
LatencyParts partsOfStep(const StepParts& step, double traffic, double whole);

/// Share of the products' time in those that memory bounds. In a step of few tokens nearly all that they read is weights.
double weightTrafficShare(const StepModel& model, const StepBatch& batch);

/// The mean TTFT of the completed requests. Waiting is told apart by what limited the steps that requests waited in; the rest by a step
/// of mean prompts.
LatencyParts ttftParts(const std::vector<EnginePool>& pools, const ServingReport& report);
/// The mean TPOT of the completed requests of more than one token.
LatencyParts tpotParts(const std::vector<EnginePool>& pools, const ServingReport& report);
/// The output tokens' rate from the other side; nothing where no token came out or no step is kept.
std::optional<RateParts> rateParts(const std::vector<EnginePool>& pools, const ServingReport& report);

} // namespace orrery
