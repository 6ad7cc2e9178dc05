// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/scenario/serving_workload.hpp"

#include <optional>

namespace orrery {

class Catalog; // core/catalog

/// `/workload` of the kinds that run on engine instances as structs, from a document that is filled in.

InferenceWorkload readInference(const FilledDocument& document, const Architecture& model);

/// Nothing after a problem, such as a file that can't be read.
std::optional<RequestsSpec> readRequestsSpec(const FilledDocument& document, const FileReader& readFile, Problems& problems);

/// Tokens of the longest prompt among them.
int longestPrompt(const RequestsSpec& requests);

/// Everything but the requests, and the pools' places, which come from `split`. Nothing after a problem.
std::optional<ServingWorkload> readServing(const FilledDocument& document, RequestsSpec requests, std::optional<Disaggregation> split,
                                           const Catalog& catalog, const FileReader& readFile, Problems& problems);

} // namespace orrery
