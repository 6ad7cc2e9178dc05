// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/schema_shapes.hpp"

// `workload` of the contract: training, inference and serving.

namespace orrery::schema {

namespace {

Shape precisionFor(PrecisionUse use) { return word(precisionWords(use)); }

std::vector<Field> trainingFields() {
    return {
        required("sequence_length", integer(1, mostTokens), "Tokens of one sequence, before any context split."),
        required("global_batch_size", integer(1, mostSequences), "Sequences of one iteration over all accelerators."),
        required("micro_batch_size", integer(1, mostSequences), "Sequences a rank works on at a time."),
        required("precision", precisionFor(PrecisionUse::training), "Number format of the matrix products; int8 and int4: of frozen weights (LoRA), which are multiplied in 16 bit."),
        field("fp8_recipe", wordFor<Fp8Recipe>(), "How FP8 tensors are scaled."),
        field("optimizer", wordFor<OptimizerKind>(), "Optimizer.", wordOf(OptimizerKind::adam)),
        field("gradient_precision", precisionFor(PrecisionUse::gradients), "Number format of the gradients; the profile's unless given."),
        field("optimizer_precision", precisionFor(PrecisionUse::optimizer_states),
              "Number format of the optimizer states; the profile's unless given."),
        field("weight_precision", precisionFor(PrecisionUse::weights),
              "Number format in which weights are kept and stepped over: fp32, or 16 bit with no copy in fp32; the profile's unless given."),
        field("gradient_reduce_precision", precisionFor(PrecisionUse::gradients), "Number format of gradients on the wire; the profile's, or `gradient_precision`, unless given."),
        field("task", wordFor<TaskKind>(), "What is trained.", wordOf(TaskKind::pretrain)),
        field("lora_rank", integer(1, 1e5), "Rank of the LoRA adapters."),
        field("lora_targets", list(wordFor<AdapterTarget>(), 1), "Linear layers with adapters; the profile's unless given."),
        field("document_length", integer(1, mostTokens), "Tokens of the documents packed into a sequence; attention stays within one."),
        imagesField("per_sequence", "Images of each sequence, whose tokens are among its own; text alone unless given."),
    };
}

} // namespace

Field imagesField(std::string count, std::string description) {
    constexpr double mostImages = 1e4, mostPixels = 1e5;
    return field("images", object({required(std::move(count), integer(1, mostImages), "How many."), required("width", integer(1, mostPixels), "Pixels."), required("height", integer(1, mostPixels), "Pixels.")}),
                 std::move(description));
}

Shape workloadShape() {
    Shape shape = object({required("kind", wordFor<WorkloadKind>(), "What runs.")});
    shape.variants = {{keyFor(WorkloadKind::training), "Iterations of training.", trainingFields()},
                      {keyFor(WorkloadKind::inference), "One static batch.", inferenceFields()},
                      {keyFor(WorkloadKind::serving), "Requests that come and go.", servingFields()}};
    return shape;
}

} // namespace orrery::schema
