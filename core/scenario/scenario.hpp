// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/collectives/library.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/catalog/kernel_constants.hpp"
#include "core/engine/jitter_model.hpp"
#include "core/model/architecture.hpp"
#include "core/network/cluster.hpp"
#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/scenario/beside_job.hpp"
#include "core/scenario/workload.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// How often accelerators fail, and what a long run does about it.
struct Reliability {
    double meanTimeBetweenFailures = 0;       ///< s, of one accelerator with all that serves it
    std::optional<double> checkpointInterval; ///< s of work between two checkpoints; nothing: the best one
    double checkpointTime = 0;                ///< s that writing one holds the job up for
    double restartTime = 0;                   ///< s from a failure until the job works again
    int spares = 0;                           ///< accelerators that stand by
};

class KernelTimes; // core/operators

enum class RecomputeKind {
    none,
    selective, ///< the attention core
    full,      ///< whole layers
    automatic,
    modules, ///< Execution::recomputeModules
    every,   ///< whole layers, every Execution::recomputeEvery-th
};
enum class ContextMethod { ring,
                           all_gather,
                           all_to_all };
/// Of fused attention also which kernels: FlashAttention's generations, or cuDNN's. `flash`: the profile's.
enum class AttentionKind { flash,
                           unfused,
                           fa2,
                           fa3,
                           fa4,
                           cudnn };
/// Of fused attention's products, where not 16 bit.
enum class AttentionPrecision { fp8 };
using ScheduleKind = PipelineOrder;
/// Megatron's --recompute-modules.
enum class RecomputeModule { core_attention,
                             norms,
                             latent_up_projections,
                             feed_forward,
                             experts,
                             expert_activation,
                             shared_experts };
/// What happens to tokens beyond an expert's room.
enum class ExpertDispatch { dropless,
                            capacity };
/// How tokens come to their experts (Megatron-Core's --moe-token-dispatcher-type and --moe-flex-dispatcher-backend).
enum class ExpertDispatcher { alltoall,  ///< the communication library's all-to-all: a row for each expert that a token visits
                              allgather, ///< every rank gathers all tokens and takes those of its experts
                              deepep,    ///< a token once to every rank, by DeepEP
                              hybridep   ///< likewise, by Hybrid-EP
};
/// What CUDA graphs hold where a scenario says it.
enum class GraphsHeld { full_iteration, ///< forward, backward and what lies between
                        parts           ///< of layers: Execution::graphParts
};
/// Parts of a layer (Megatron-Core's --cuda-graph-scope).
enum class GraphPart { attention,      ///< with its norm and residual
                       mlp,            ///< of layers without experts
                       moe,            ///< all of a layer's experts, router and preprocessing included
                       moe_router,     ///< with its norm and shared experts
                       moe_preprocess, ///< what the dispatcher does before it sends tokens
                       mamba };
/// How tokens spread over experts.
enum class ExpertLoad { balanced,
                        zipf,
                        histogram };
/// By what a collective is timed.
enum class CollectiveTiming { measured, ///< the library's measured behaviour
                              stated }; ///< closed forms with the network's bandwidths and latencies as they stand

/// A default that was filled in, as the result lists it.
struct Assumption {
    std::string pointer;
    BoxedJson value;
    std::string why;
};

struct Parallelism {
    int tensor = 1;
    int pipeline = 1;
    int virtualPipeline = 1; ///< chunks per stage
    int context = 1;
    ContextMethod contextMethod = ContextMethod::ring;
    int expert = 1;
    int expertTensor = 1;
    int attentionData = 1; ///< of an engine instance: groups of tensor ranks that share its sequences out for attention
    int data = 1;          ///< of inference and serving: engine instances
    int shardGroup = 0;    ///< ranks that share one sharded copy (HSDP); 0: all of the data and context ranks
    bool sequence = false;
    int zeroStage = 0;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    std::string order = "tp-cp-ep-dp-pp";
    std::vector<int> layout; ///< transformer layers of each chunk, in model order; size pipeline × virtualPipeline

    int ranks() const { return tensor * context * pipeline * attentionData * data; }
    /// Ranks that hold the same dense weights, or share out what belongs to them.
    int replicas() const { return data * context; }
    /// Those replicas that share out one copy.
    int sharders() const { return shardGroup > 0 ? shardGroup : replicas(); }
};

struct Overlap {
    bool data = false;
    bool tensor = false;
    bool pipeline = false;
    bool expert = false;
};

/// How collectives run where the scenario wants something else than the library's choice.
struct CollectiveOverrides {
    std::map<std::string, std::string> algorithm; ///< by operation ("all_reduce"): "ring", "tree", "hierarchical", "nvls"
    std::string protocol;                         ///< "LL", "LL128", "Simple"; empty: the library's choice
    bool measured = true;                         ///< the library's measured behaviour; false: closed forms with the network's bandwidths and latencies as they stand
};

/// Shares of what a rank holds that live in host memory and come over when they are needed.
struct Offload {
    double weights = 0;
    double activations = 0;
    double optimizer = 0; ///< states; their step then runs on the host
    bool any() const { return weights > 0 || activations > 0 || optimizer > 0; }
};

/// What-if: an accelerator on which kernels take longer.
struct Straggler {
    int rank = 0;
    double slowdown = 1; ///< of computation
};

/// What-if: kernels' times vary at random by a log-normal factor of mean 1, drawn for every cell by itself.
struct Jitter {
    double sigma = 0; ///< standard deviation of the factor's logarithm; 0: none
    std::uint64_t seed = 0;
};

struct Execution {
    FrameworkProfile profile;
    RecomputeKind recompute = RecomputeKind::none;
    std::vector<std::string> recomputeModules;
    int recomputeEvery = 1;
    double expertCapacity = 0; ///< capacity factor of experts; 0: dropless
    double expertLoad = 1;     ///< tokens of the busiest expert rank over the mean
    AttentionKind attention = AttentionKind::flash;
    bool eightBitAttention = false; ///< its products are in 8 bit
    bool compile = false;
    bool cudaGraphs = false;          ///< of any extent
    bool graphsHoldIteration = false; ///< all of it; else those of `graphParts`, or what the profile's graphs hold
    std::vector<GraphPart> graphParts;
    Overlap overlap;
    std::map<std::string, bool> passes;        ///< switched explicitly; a pass not named is on, but chunked_loss
    bool chunkedLoss = false;                  ///< logits are never whole
    std::map<std::string, double> calibration; ///< named constants measured on that machine
    Offload offload;
    CollectiveOverrides collectives;
    std::vector<Straggler> stragglers;
    Jitter jitter;
};

struct Economics {
    std::optional<double> pricePerAcceleratorHour;
    std::optional<double> powerWatts;
    std::optional<double> tokensTotal;
};

/// A scenario after reading, checking and filling in of defaults: everything the simulation needs, nothing optional left open.
struct Scenario {
    std::string name;
    std::string notes;
    std::string modelName; ///< preset id or the config's type
    Architecture model;
    Cluster cluster;
    KernelConstants kernels;
    std::shared_ptr<const KernelTimes> kernelTimes; ///< of its accelerator, by tables; null: by roofline alone
    LibraryConstants library;                       ///< the communication library on this accelerator
    Workload workload;
    Parallelism parallelism;
    Execution execution;
    Economics economics;
    std::optional<Reliability> reliability;
    std::vector<BesideJob> beside; ///< other jobs on this cluster at the same time
    std::vector<Assumption> assumed;
    Problems warnings;
    JitterModel jitter; ///< what-if; `execution.jitter` is empty where this says anything

    /// Whether training() has an answer.
    bool isTraining() const { return orrery::isTraining(workload); }
    /// The numbers of an iteration, planned or recorded; throws std::bad_variant_access for any other workload.
    const TrainingWorkload& training() const { return trainingOf(workload); }
    TrainingWorkload& training() { return trainingOf(workload); }
    /// The recorded graph that stands for the model; null where there is none.
    const RecordedWorkload* recorded() const { return recordedOf(workload); }
    /// Number format of the matrix products.
    Precision precision() const { return precisionOf(workload); }
    /// Of the vision tower, where images come: else it is left out.
    double towerParameters() const { return model.vision && imagesOf(workload).count > 0 ? model.vision->parameters() : 0; }

    int microBatches() const { return training().globalBatch / (training().microBatch * parallelism.data); }
};

} // namespace orrery
