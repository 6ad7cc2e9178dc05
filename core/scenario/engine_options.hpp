// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/order/serving/engine_settings.hpp"
#include "core/scenario/precisions.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace orrery {

/// Where draft tokens of speculative decoding come from.
enum class DraftMethod : std::uint8_t {
    ngram,       ///< looked up in what is there already: no model runs for them
    draft_model, ///< a small model
    mtp,         ///< the model's own next-token modules
    eagle,       ///< one more layer on the model's hidden states
};

/// Whence an engine knows by how much to scale the inputs of 8-bit products.
enum class ActivationScales : std::uint8_t {
    calibrated, ///< from the checkpoint: what writes an input can quantise it
    at_run_time ///< from the input itself, which is looked at once more
};

struct Drafting {
    DraftMethod method = DraftMethod::ngram;
    std::string name;                          ///< of the model that drafts; empty: none
    std::shared_ptr<const Architecture> model; ///< that drafts: a draft model, or eagle's where the scenario names one; null: none
};

/// What a scenario says of one engine instance, defaults filled in.
struct EngineOptions {
    EngineSettings settings;                    ///< whole but for `blocks` and `hostSeconds`: memory and profile say these. `speculative` has tokens and acceptance
    double memoryShare = 0.9;                   ///< `gpu_memory_utilization`, of the device's memory
    std::optional<double> freeMemoryShare;      ///< TensorRT-LLM's: of what the loaded model leaves, what keys and values get; then `memoryShare` is not looked at
    int expertSlots = 0;                        ///< of a layer, over all ranks that share experts out: more than experts hold copies of some; 0: one an expert
    Precision cachePrecision = Precision::bf16; ///< number format of the cache; `auto` is answered already
    std::optional<Drafting> drafts;             ///< of `settings.speculative`; nothing: no speculative decoding
};

} // namespace orrery
