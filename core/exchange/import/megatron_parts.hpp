// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/import_parts.hpp"

#include <cstdint>

// The parts of reading Megatron-LM's arguments; names and defaults as in its megatron/training/arguments.py.

namespace orrery {

/// What other parts need of the model.
struct MegatronModel {
    std::int64_t layers = 0;
    std::int64_t sequenceLength = 0;
    bool experts = false;
    std::vector<std::int64_t> layersOfStage; ///< as a hybrid pattern divides them; empty: it doesn't
};

/// Writes `/model/config`: a Hugging Face config of the family whose layers are these. Nothing, with errors, when
/// sizes are missing.
std::optional<MegatronModel> readMegatronModel(ScenarioDraft& draft, OptionList& options, std::int64_t tensor);

/// Rows of the embedding after Megatron's padding.
std::int64_t megatronVocabulary(ScenarioDraft& draft, OptionList& options, std::int64_t tensor);

/// Takes the parallel sizes and writes `/parallelism` but for what needs the model.
PlanDegrees readMegatronDegrees(ScenarioDraft& draft, OptionList& options);
void readMegatronPipeline(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model);
/// Takes what is sharded over the data ranks.
void readMegatronSharding(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees);

/// Takes batch sizes and precision and writes `/workload`.
void readMegatronWorkload(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model);

/// Takes recomputation, kernels, overlap, offload and writes `/execution`.
void readMegatronExecution(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model);

/// Arguments that change nothing a simulation sees, and all that a reader takes (for the nearest known word).
const std::vector<IgnoredOption>& megatronIgnored();
/// Those of them that are sections and keys of Megatron-Bridge alone.
const std::vector<IgnoredOption>& bridgeIgnored();
const std::vector<std::string>& megatronKnown();
/// Arguments that change what is simulated and can't be, with what is left out.
const std::vector<RefusedOption>& megatronRefused();

/// Formats and shard groups that a DeepSpeed configuration gave (mergeDeepSpeedConfig).
void readDeepSpeedStates(ScenarioDraft& draft, OptionList& options);

/// Merges a DeepSpeed configuration into the options: what it says stands as Megatron would name it
/// ("micro-batch-size", "zero-stage" …), unless the command line says so itself.
void mergeDeepSpeedConfig(ScenarioDraft& draft, ImportInput& input, OptionList& options);
/// ZeRO's stage and offload, as far as the name of a configuration that can't be read says them: "ds_z3_offload.json".
void inferFromName(ScenarioDraft& draft, OptionList& options, const std::string& path, int line);
/// The same for the text of one; false when it is no JSON object.
bool mergeDeepSpeedText(ScenarioDraft& draft, const std::string& text, const std::string& name, OptionList& options);

} // namespace orrery
