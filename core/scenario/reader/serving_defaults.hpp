// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/accelerator.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/model/architecture.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/engine_options.hpp"

#include <cstdint>
#include <functional>

namespace orrery {

class Catalog; // core/catalog

/// What software runs inference and serving unless the scenario says: the newest vLLM; without one the newest generic profile.
const FrameworkProfile& newestServingFramework(const Catalog& catalog);

/// Fills what inference and serving leave out of what they share with training, but nothing that only training reads; and not how experts
/// are shared out, of which the rules ask whether it was said.
void fillInstanceDefaults(FilledDocument& document, const FrameworkProfile& profile);

/// Fills whether the weights' checkpoint brings scales of activations along, and what such checkpoints bring besides (`calibrated_weights` of the
/// profile's defaults): in fp8 with a scale a tensor, or in nvfp4. Those with block scales come from the models' makers and are not calibrated, nor
/// is the cache of latent attention (nvidia/DeepSeek-R1-FP4; from memory). The cache's default follows the scales, never the other way; a cache that
/// is said to have 16 bit is a sign that there are none. `model`: null where it is not known.
void fillCalibratedDefaults(FilledDocument& document, const FrameworkProfile& profile, const Architecture* model);

/// Fills what a serving engine leaves out: the profile's settings, then what vLLM computes from model and accelerator
/// (vllm/engine/arg_utils.py), and for TensorRT-LLM what whole prompts need. `positions`: of the model; 0: unknown. `longestPrompt`: of the
/// requests; 0: unknown.
void fillEngineDefaults(FilledDocument& document, const FrameworkProfile& profile, const Accelerator& accelerator, std::int64_t positions, const std::function<int()>& longestPrompt);

/// What speculative decoding takes where the scenario does not say.
inline int usualDrafts(DraftMethod method) { return method == DraftMethod::mtp ? 1 : 3; }
inline constexpr double usualAcceptance = 0.7;

/// Fills what requests and speculative decoding leave out.
void fillRequestDefaults(FilledDocument& document);

} // namespace orrery
