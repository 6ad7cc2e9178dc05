// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

namespace orrery {

/// Bytes a parameter on a rank that holds it, or a share of it.
struct StateBytes {
    double weights = 0;
    double gradients = 0;
    double optimizerStates = 0;
};

/// Ranks over which ZeRO shares out what belongs to dense weights (HSDP: one shard group's), and to those of routed experts.
double shardRanks(const Scenario& scenario);
double expertShardRanks(const Scenario& scenario);

/// Whether ranks share out the weights and gather them before they are used (ZeRO-3); gradients then come and go with the backward.
bool gathersWeights(const Scenario& scenario);

/// Whether they share out gradients and not weights (ZeRO-2): a layer's are whole until they are reduced, as soon as they are there.
bool reducesUnits(const Scenario& scenario);

/// Whether ranks that share out gradients add up those of all micro-batches whole and reduce them once, at the last backward; otherwise
/// each micro-batch's are reduced as soon as they are there, and only the shards stay. With ZeRO-3 alone.
bool addsUpWholeGradients(const Scenario& scenario);

/// Mixed-precision states, divided by ZeRO over those ranks (Rajbhandari et al. 2020, section 5; the bytes a
/// parameter are the framework profile's). `ranks`: one of the two above.
/// `momentsAsAdam`: of what Muon leaves to Adam (embeddings, head, vectors).
StateBytes stateBytes(const Scenario& scenario, double ranks, bool momentsAsAdam = false);
/// What a weight of a product in 8 or 4 bit takes beside `StateBytes::weights`: copies that are kept over the micro-batches; less than
/// nothing where it is stored in 8 bit.
double quantisedExtraBytes(const Scenario& scenario, double ranks);
/// Weights that are held and not trained, of a layer or of embedding and head.
double frozenBytes(const Scenario& scenario, bool ofLayer);

/// What a rank holds besides the model, whatever it runs.
struct OverheadMemory {
    double communicators = 0; ///< buffers of the process groups
    double framework = 0;     ///< context, libraries, workspaces
};
OverheadMemory overheadMemory(const Scenario& scenario);

} // namespace orrery
