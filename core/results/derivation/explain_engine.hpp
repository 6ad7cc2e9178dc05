// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Where a figure of a static batch comes from; `tokens` are the members of its JSON pointer. Nothing for what is no figure of one.
std::optional<Quantity> explainBatch(const Result& result, const InferenceMetrics& metrics, const std::vector<std::string>& tokens);
/// The same of served requests.
std::optional<Quantity> explainServing(const Result& result, const ServingReport& report, const std::vector<std::string>& tokens);

/// What an engine's memory of a kind is.
const char* engineMemoryFormula(const Scenario& scenario, MemoryKind kind);

} // namespace orrery
