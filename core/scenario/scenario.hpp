// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/catalog/kernel_constants.hpp"
#include "core/collectives/library.hpp"
#include "core/jitter/jitter_model.hpp"
#include "core/model/architecture.hpp"
#include "core/network/cluster.hpp"
#include "core/schedule/pipeline_order.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class KernelTimes; // core/operators
struct RecordedWorkload;

enum class WorkloadKind { training,
                          inference,
                          serving };
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
enum class TaskKind { pretrain,
                      sft,
                      lora };
enum class AttentionKind { flash,
                           unfused };
using ScheduleKind = PipelineOrder;
enum class OptimizerKind { adam,
                           sgd,
                           muon };

/// A default that was filled in, as the result lists it.
struct Assumption {
    std::string pointer;
    BoxedJson value;
    std::string why;
};

struct Workload {
    WorkloadKind kind = WorkloadKind::training;
    int sequenceLength = 0;
    int globalBatch = 0; ///< sequences
    int microBatch = 0;  ///< sequences
    std::string precision = "bf16";
    OptimizerKind optimizer = OptimizerKind::adam;
    double optimizerElementBytes = 4; ///< of each of the optimizer's moments (`optimizer_precision`)
    std::string fp8Recipe;            ///< "tensorwise", "rowwise", "block"; empty: the precision's own
    TaskKind task = TaskKind::pretrain;
    int loraRank = 0;
    int documentLength = 0; ///< tokens of the documents packed into a sequence; 0: a sequence is one document
};

struct Parallelism {
    int tensor = 1;
    int pipeline = 1;
    int virtualPipeline = 1; ///< chunks per stage
    int context = 1;
    ContextMethod contextMethod = ContextMethod::ring;
    int expert = 1;
    int expertTensor = 1;
    int data = 1;
    int shardGroup = 0; ///< ranks that share one sharded copy (HSDP); 0: all of the data and context ranks
    bool sequence = false;
    int zeroStage = 0;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    std::string order = "tp-cp-ep-dp-pp";
    std::vector<int> layout; ///< transformer layers of each chunk, in model order; size pipeline × virtualPipeline

    int ranks() const { return tensor * context * pipeline * data; }
    /// Ranks that hold the same dense weights, or share out what belongs to them.
    int replicas() const { return data * context; }
    /// Of those, the ones that share out one copy.
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
    bool compile = false;
    bool cudaGraphs = false;
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
    std::shared_ptr<const RecordedWorkload> recorded; ///< stands for the model when the scenario names a recorded graph
    Cluster cluster;
    KernelConstants kernels;
    std::shared_ptr<const KernelTimes> kernelTimes; ///< of its accelerator, by tables; null: by roofline alone
    LibraryConstants library;                       ///< the communication library on this accelerator
    Workload workload;
    Parallelism parallelism;
    Execution execution;
    Economics economics;
    std::vector<Assumption> assumed;
    Problems warnings;
    JitterModel jitter; ///< what-if; `execution.jitter` is empty where this says anything

    int microBatches() const { return workload.globalBatch / (workload.microBatch * parallelism.data); }
};

/// Whether weights that are shared out (ZeRO-3) stay once they are gathered: a pipeline's stage gathers them before its first forward and
/// keeps them until its last backward (PyTorch's fully_shard under torch.distributed.pipelining, where the profile runs that). Otherwise
/// they are gathered before every pass through a layer and dropped after it (FSDP's reshard_after_forward; Megatron-FSDP's
/// optim_grads_params). Time and memory both ask here.
inline bool keepsGatheredWeights(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    return plan.zeroStage >= 3 && plan.pipeline > 1 && scenario.execution.profile.keepsGatheredInPipeline;
}

} // namespace orrery
