// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A number below `/run` of the result document with where it comes from; `tokens` is the pointer's path from "run" on.
std::optional<Quantity> explainRun(const Scenario& scenario, const TrainingMetrics& metrics, const std::vector<std::string>& tokens);

/// A number below `/jitter` of the result document with where it comes from; `tokens` is the pointer's path from "jitter" on.
std::optional<Quantity> explainJitter(const JitterReport& jitter, const std::vector<std::string>& tokens);

/// A number below `/bottleneck` of the result document with where it comes from; `tokens` is the pointer's path from "bottleneck" on.
std::optional<Quantity> explainBottleneck(const Result& result, const std::vector<std::string>& tokens);

} // namespace orrery
