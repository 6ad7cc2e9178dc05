// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/library.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/model/architecture.hpp"
#include "core/order/serving/step_batch.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/cost/operator_cost.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// How an instance's accelerators reach each other. Its ranks are numbered tensor first, then attention groups, context, pipeline, and lie
/// in scale-up domains one after the other.
struct EngineNetwork {
    LibraryConstants library;      ///< the communication library on this accelerator
    int domainSize = 1;            ///< accelerators of the instance that share a scale-up domain
    double upBandwidth = 0;        ///< bytes/s per accelerator and direction, within a domain
    double addedUpLatency = 0;     ///< s a step within a domain, more than where the library was measured
    double outBandwidth = 0;       ///< bytes/s per accelerator and direction, between domains
    double outLatency = 0;         ///< s, one way, between domains
    bool domainSpansHosts = false; ///< a scale-up domain of the cluster reaches over hosts
};

struct EngineModel;

/// The model that drafts tokens for a target, on the target's accelerators.
struct EngineDrafts {
    std::shared_ptr<const EngineModel> engine; ///< in one stage; null: drafts cost nothing (looked up), or there are none
    int tokens = 0;                            ///< drafts of a request and step, each a pass of the drafting model
    bool readsHidden = false;                  ///< it begins with the target's hidden states beside its embedding and shares the target's embedding and head

    bool areMade() const { return engine != nullptr && tokens > 0; }
};

/// One instance of an inference engine: everything that a step's time depends on besides the step.
struct EngineModel {
    Architecture model;
    Parallelism parallelism;                    ///< of the instance: tensor × pipeline × context × attentionData accelerators; expert of them share experts out
    Precision precision = Precision::bf16;      ///< int8, int4 and mxfp4 are weights alone, mxfp4 experts' alone
    std::optional<Fp8Recipe> fp8Recipe;         ///< empty: the precision's own
    Precision cachePrecision = Precision::bf16; ///< of keys and values
    bool weightsAlone = false;                  ///< the accelerator lacks the precision's arithmetic: weights stay narrow, products are in 16 bit
    CostModel cost;
    FrameworkProfile profile;
    EngineNetwork network;
    bool cudaGraphs = false;
    bool asyncScheduling = false; ///< the host's part of a step runs beside the step before
    double expertExponent = 0;    ///< of the power law of tokens over experts (KernelKind::moe); 0: balanced
    double expertSlots = 0;       ///< of a layer, over all ranks that share experts out; 0: one an expert
    double memoryBytes = 0;       ///< of one accelerator, as the driver reports it
    EngineDrafts drafts;          ///< of speculative decoding
    /// Accelerators that hold the routed experts, as an engine of nothing else, whose network joins these accelerators (first) and its own; null: they lie with
    /// the rest.
    std::shared_ptr<const EngineModel> experts;
    ImageLoad images; ///< that come with each prompt
};

/// Seconds of a step, by what they go into; of all pipeline stages, one after the other.
struct StepParts {
    double gemm = 0;        ///< products with weights, experts included
    double attention = 0;   ///< cores, and latent attention's products about them
    double other = 0;       ///< norms, rotations, activations, sampling
    double collectives = 0; ///< of tensor, context, expert and attention groups
    double pipeline = 0;    ///< sends between stages
    double launch = 0;      ///< that the host's launches add, or a graph's start
    double host = 0;        ///< scheduling, sampling's bookkeeping, text: what the step before does not hide

    double device() const { return gemm + attention + other + collectives + pipeline; }
    double total() const { return device() + launch + host; }
};

} // namespace orrery
