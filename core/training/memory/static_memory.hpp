// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// Kinds of a stage's memory, in the order the charts stack them.
enum class MemoryKind : std::uint8_t {
    weights,
    gradients,
    optimizer_states,
    activations,
    kv_cache,
    temporary,
    communication_buffers,
    fragmentation,
    framework,
};
inline constexpr std::size_t memoryKindCount = 9;
std::string_view toString(MemoryKind kind);

class ReplicaPolicy;

/// Bytes a parameter of Adam's two moments in fp32, which a profile's optimizer bytes hold.
inline constexpr double adamMomentBytes = 8;

/// Bytes a parameter on a rank that holds it, or a share of it.
struct StateBytes {
    double weights = 0;
    double gradients = 0;
    double optimizerStates = 0;
};

/// Mixed-precision states, divided by ZeRO over `ranks` (Rajbhandari et al. 2020, section 5; the bytes a parameter are the framework
/// profile's): the policy's sharders, or of routed experts its expertReplicas. The policy is the scenario's: who asks often makes it once.
/// `momentsAsAdam`: of what Muon leaves to Adam (embeddings, head, vectors).
StateBytes stateBytes(const Scenario& scenario, const ReplicaPolicy& policy, double ranks, bool momentsAsAdam = false);
/// Master copy and moments of a parameter, before ZeRO shares them out. `momentsAsAdam` as above.
double optimizerStateBytes(const Scenario& scenario, bool momentsAsAdam = false);
/// Whether products in 8 or 4 bit quantise their weights in every pass that reads them: where no quantised copy is kept over the
/// micro-batches, nor stored in place of the 16-bit ones.
bool quantisesWeightsEachPass(const Scenario& scenario);
/// What a weight of a product in 8 or 4 bit that is gathered for a pass takes beside it: quantised copies, made anew for every pass.
double gatheredCopyBytes(const Scenario& scenario);
/// What a weight of a product in 8 or 4 bit takes beside `StateBytes::weights`: copies that are kept over the micro-batches; less than
/// nothing where it is stored in 8 bit.
double quantisedExtraBytes(const Scenario& scenario, const ReplicaPolicy& policy, double ranks);
/// Weights that are held and not trained, of a layer or of embedding and head.
double frozenBytes(const Scenario& scenario, const ReplicaPolicy& policy, bool ofLayer);

/// What a rank holds besides the model, whatever it runs.
struct OverheadMemory {
    double communicators = 0; ///< buffers of the process groups
    double framework = 0;     ///< context, libraries, workspaces
};
OverheadMemory overheadMemory(const Scenario& scenario);

} // namespace orrery
