// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// What another kind of workload takes, as one step: the workload with values that make sense for it, and away with what only the kind
/// before reads. The document keeps under `view` what goes, and a kind that was there before gets back what it had.
std::vector<ScenarioEdit> kindEdits(const Json& document, const std::string& kind, const Catalog& catalog);

/// What another arrival process takes: the number that it needs, and away with the one that it does not.
std::vector<ScenarioEdit> arrivalEdits(const Json& document, const std::string& process);

/// Whether the place is one of `execution.jitter`'s fields.
bool isJitterField(std::string_view pointer);

/// What setting one of these fields takes so that the scenario stays sound and something varies: jitter given as a number becomes an
/// object, a method alone gets kernels that vary, slow hosts their slowdown and the other way round; null removes the value, with
/// the last one that says anything the jitter, and so does no method.
std::vector<ScenarioEdit> jitterEdits(const Json& document, const ScenarioEdit& wanted);

/// Whether the place says how lengths of prompts or answers are drawn: `distribution` of `input_tokens` or `output_tokens`.
bool isLengthDistribution(std::string_view pointer);

/// What another distribution takes: the numbers that it needs, about the same mean, and away with those that it does not. Null: all are
/// alike again, as long as the mean was.
std::vector<ScenarioEdit> lengthEdits(const Json& document, const ScenarioEdit& wanted);

class Catalog; // core/catalog

/// Fields of a served workload whose value brings others with it: the file of requests, how tokens are drafted, pools.
bool isServedChoice(std::string_view pointer);

/// What such a choice takes, as one step. A file takes the place of generated requests, which the document keeps under `view` until the file
/// goes; another way to draft keeps how many and how good; two pools share out the instances that there are.
std::vector<ScenarioEdit> servedEdits(const Json& document, const ScenarioEdit& wanted, const Catalog& catalog);

} // namespace orrery
