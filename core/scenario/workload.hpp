// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/precisions.hpp"
#include "core/scenario/rl_workload.hpp"
#include "core/scenario/serving_workload.hpp"

#include <memory>
#include <optional>
#include <variant>

namespace orrery {

struct RecordedWorkload; // core/model/recorded

/// What a scenario may ask for; each kind has an alternative of `Workload` below.
enum class WorkloadKind { training,
                          inference,
                          serving,
                          rl }; ///< reinforcement learning: rollout and training in turn
enum class TaskKind { pretrain,
                      sft,
                      lora };
/// A linear layer that LoRA may put an adapter beside, by PEFT's name.
enum class AdapterTarget { q_proj,
                           k_proj,
                           v_proj,
                           o_proj,
                           gate_proj,
                           up_proj,
                           down_proj };
enum class OptimizerKind { adam,
                           sgd,
                           muon };

/// One iteration of training.
struct TrainingWorkload {
    int sequenceLength = 0;                ///< tokens
    int globalBatch = 0;                   ///< sequences
    int microBatch = 0;                    ///< sequences
    Precision precision = Precision::bf16; ///< of the products
    /// How the weights of products lie that a task does not train; they are multiplied in `precision`.
    WeightStorage frozenStorage = WeightStorage::as_multiplied;
    OptimizerKind optimizer = OptimizerKind::adam;
    double optimizerElementBytes = 4;   ///< of each of the optimizer's moments (`optimizer_precision`)
    std::optional<Fp8Recipe> fp8Recipe; ///< empty: the precision's own
    TaskKind task = TaskKind::pretrain;
    int loraRank = 0;
    int documentLength = 0; ///< tokens of the documents packed into a sequence; 0: a sequence is one document
    ImageLoad images;       ///< of a sequence, whose tokens are among its own
};

/// An iteration that runs as it was recorded.
struct RecordedIteration {
    std::shared_ptr<const RecordedWorkload> graph; ///< never null
    TrainingWorkload counted;                      ///< what the scenario says of it: it turns time into tokens/s and changes no work
};

/// One static batch: all prompts at once, then a token of each a step.
struct InferenceWorkload {
    int batchSize = 0;    ///< sequences, per instance
    int inputLength = 0;  ///< tokens of a prompt, those of its images included
    int outputLength = 0; ///< tokens generated for each, the first included
    Precision precision = Precision::bf16;
    std::optional<Fp8Recipe> fp8Recipe;         ///< empty: the precision's own
    Precision cachePrecision = Precision::bf16; ///< of keys and values
    ActivationScales scales = ActivationScales::at_run_time;
    ImageLoad images; ///< of a prompt
};

/// What runs. A new kind is a new alternative: what does not handle it does not compile.
using Workload = std::variant<TrainingWorkload, RecordedIteration, InferenceWorkload, ServingWorkload, RlWorkload>;

/// The numbers of an iteration, planned or recorded; throws std::bad_variant_access of any other workload.
const TrainingWorkload& trainingOf(const Workload& workload);
TrainingWorkload& trainingOf(Workload& workload);
/// Null where nothing is recorded.
const RecordedWorkload* recordedOf(const Workload& workload);
/// An iteration of training, planned or recorded: what trainingOf() gives an answer for.
bool isTraining(const Workload& workload);
Precision precisionOf(const Workload& workload);
/// The images that come with each sequence or request; none where text comes alone.
ImageLoad imagesOf(const Workload& workload);

} // namespace orrery
