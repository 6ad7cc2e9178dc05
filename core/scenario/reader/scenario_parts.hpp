// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/kernel_call.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/pipeline_layout.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "core/scenario/reader/what_ifs.hpp"

#include <cstdint>

namespace orrery {

class Catalog; // core/catalog

/// A host that waits for each kernel before it launches the next leaves nothing to overlap.
bool waitsForKernels(const Execution& execution);

/// Whose kernels the profile's software runs, by the releases that were measured: vLLM 0.19 to 0.24, SGLang 0.5.14.
KernelEngine kernelsOf(const FrameworkProfile& profile);

/// How many layers each chunk has where the scenario does not say.
PipelineLayout pipelineLayout(const NamedModel& model, const FrameworkProfile& profile, std::int64_t chunks);

/// The last part of reading, the same for every kind of workload: software, constants of the machine (those of `execution.profile`'s file are read by
/// `readFile`), what-ifs, economics, and what was assumed and warned of until now. Model, cluster, workload and parallelism stand in the scenario already.
void readStack(Scenario& scenario, FilledDocument& document, const FrameworkProfile& profile, const Catalog& catalog, const FileReader& readFile, WhatIfs whatIfs, Problems& problems);

} // namespace orrery
