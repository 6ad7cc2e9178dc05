// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/engine_options.hpp"
#include "core/served/inference/engine_model.hpp"

namespace orrery {

/// What drafts for `target` as `options` say: nothing where drafts are looked up.
///
/// - A draft model is a whole model of its own, with weights in 16 bit: engines load drafts as their checkpoints are, whatever the target's
///   are quantised to (vLLM: SpeculativeConfig.quantization is empty unless given).
/// - mtp runs the target's next-token module, a layer like its last in the target's format; eagle a dense layer in 16 bit unless a model is
///   named. Both share the target's embedding and head.
///
/// All of them run over the target's tensor ranks (vLLM: draft_tensor_parallel_size is the target's unless given) in one stage.
EngineDrafts draftsOf(const EngineModel& target, const EngineOptions& options);

} // namespace orrery
