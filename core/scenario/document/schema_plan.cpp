// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/document/schema_shapes.hpp"
#include "core/scenario/pass_table.hpp"

// `parallelism`, `execution`, `search`, `hybrid` and `economics` of the contract.

namespace orrery::schema {

Shape parallelismShape() {
    const auto degree = [] { return integer(1, mostRanks); };
    return object({
        field("tensor", degree(), "Ranks that share each layer's matrices.", 1),
        field("pipeline", degree(), "Stages that the layers are split over.", 1),
        field("virtual_pipeline", integer(1, 1e4), "Chunks per stage.", 1),
        field("context", degree(), "Ranks that share each sequence.", 1),
        field("expert", degree(), "Ranks that the experts are split over.", 1),
        field("expert_tensor", degree(), "Ranks that share each expert's matrices.", 1),
        field("data", degree(), "Replicas; training computes it, giving another is an error."),
        field("sequence", boolean(), "Sequence parallelism: norms and dropouts split over the tensor ranks.", false),
        field("zero_stage", integer(0, 3), "What data-parallel ranks shard: 1 optimizer, 2 gradients too, 3 weights too (FSDP).", 0),
        field("shard_group", degree(), "HSDP: ranks that share one copy."),
        field("schedule", wordFor<PipelineOrder>(),
              "Order of the pipeline's work; 1f1b unless given, or interleaved with more than one chunk."),
        field("context_method", wordFor<ContextMethod>(), "How context-parallel attention communicates."),
        field("attention_data", degree(), "Inference and serving: data-parallel attention ranks of one instance."),
        field("order", text(), "Which ranks are neighbours; the first is contiguous.", "tp-cp-ep-dp-pp"),
        field("pipeline_layout", list(integer(0, 1e6), 1), "Layers of each chunk in model order."),
    });
}

/// Every pass by its name, in their order.
static Shape passesShape() {
    std::vector<Field> fields;
    for (const PassInfo& pass : passTable())
        fields.push_back(field(pass.name, boolean(), std::string(pass.does) + " Off: " + pass.off));
    return object(std::move(fields));
}

/// Constants measured on one's own machine.
static Shape calibrationShape() {
    std::vector<Field> fields;
    for (const NamedConstant& constant : namedConstants())
        fields.push_back(field(constant.name, constant.low > 0 ? number(constant.low, constant.high) : positive(constant.high), constant.meaning));
    return object(std::move(fields));
}

/// A profile as `orrery-cli list frameworks --json` prints it.
static Shape frameworkObject() {
    return object({
        field("id", text(), "Short name."),
        field("name", text(), "Full name."),
        field("year", integer(1990, 2100), "Year of the software."),
        field("use", list(text()), "training, inference."),
        field("releases", anything(), "Of what software and which releases the profile is."),
        field("like", text(), "The elder profile whose defaults and values lie under it."),
        field("line", text(), "Software that grew out of one another or shares its kernels, by one word."),
        field("defaults", anything(), "Fragment of a scenario that fills in what the scenario leaves out."),
        field("values", map(anything()), "What the software does, by name; each a value, or an object with value and source."),
        field("source", text(), "Where the values are from."),
        field("source_url", text(), "Address of the source."),
        field("from_memory", list(text()), "Fields that no source was seen for."),
        field("notes", anything(), "Free text."),
    });
}

Shape executionShape() {
    Shape recomputeModules = object({required(keyFor(RecomputeKind::modules), list(text(), 1), "Modules whose activations are recomputed.")});
    Shape recomputeEvery = object({required(keyFor(RecomputeKind::every), integer(1, 1e6), "Every n-th layer is recomputed.")});
    Shape graphParts = object({required(keyFor(GraphsHeld::parts), list(wordFor<GraphPart>(), 1), "Parts of a layer that CUDA graphs hold.")});
    const auto share = [] { return number(0, 1); };
    return object({
        field("framework", choice({text(), frameworkObject()}),
              "Id of a framework profile, or an object with the catalogue's fields; the newest generic one unless given."),
        field("framework_version", text(), "Release of the software; picks the profile where none is named, and the recipe of the release."),
        field("recompute", choice({wordFor<RecomputeKind>(), recomputeModules, recomputeEvery}),
              "What backward computes again; auto: the least that fits; the profile's unless given."),
        field("attention", wordFor<AttentionKind>(), "Attention kernels; the profile's unless given."),
        field("attention_precision", wordFor<AttentionPrecision>(), "Number format of fused attention's products; 16 bit unless given."),
        field("compile", boolean(), "Whether a compiler fuses elementwise work; the profile's unless given."),
        field("cuda_graphs", choice({boolean(), wordFor<GraphsHeld>(), graphParts}),
              "Whether launches are recorded and replayed, and of what; true: as the profile does; the profile's unless given."),
        field("overlap",
              object({
                  field("data", boolean(), "Data-parallel communication runs beside backward."),
                  field("tensor", boolean(), "Tensor-parallel communication runs beside its matrix products."),
                  field("pipeline", boolean(), "Sends between stages run beside computation."),
                  field("expert", boolean(), "Expert dispatch runs beside computation."),
              }),
              "Which communication hides behind computation; the profile's unless given."),
        field("moe_dispatcher", wordFor<ExpertDispatcher>(), "How tokens come to their experts; the profile's unless given."),
        field("fused_experts", boolean(), "All experts' products of a layer are one kernel each, activation and quantisation in it; the profile's unless given."),
        field("moe_dispatch",
              choice({wordFor<ExpertDispatch>(), object({required(keyFor(ExpertDispatch::capacity), positive(1e3), "Room of an expert over its even share.")})}),
              "What happens to tokens beyond an expert's room."),
        field("expert_load",
              choice({wordFor<ExpertLoad>(), object({required(keyFor(ExpertLoad::zipf), number(0, 100), "Exponent of the load's Zipf distribution.")}),
                      object({required(keyFor(ExpertLoad::histogram), list(number(0, 1e12), 1), "Relative load of each expert.")})}),
              "How tokens spread over experts."),
        field("offload",
              object({
                  field("weights", share(), "Share of the weights in host memory."),
                  field("activations", share(), "Share of the activations in host memory."),
                  field("optimizer", share(), "Share of the optimizer states in host memory."),
              }),
              "What lives in host memory."),
        field("passes", passesShape(), "Passes switched one by one; one not named is on, but chunked_loss, which is off."),
        field("collectives", collectivesShape(), "How collectives run; the library's choice unless given."),
        field("jitter", jitterShape(), "What-if: kernels' times vary at random."),
        field("stragglers", orNull(list(stragglerShape())), "What-if: slow accelerators."),
        field("degraded_links", orNull(list(degradedLinkShape())), "What-if: slow or broken links, switches and network interfaces."),
        field("profile", text(), "A file that `orrery-cli calibrate` made (.orrery-profile.json), relative to the scenario: constants fitted on that machine; those of calibration go first."),
        field("calibration", calibrationShape(), "Constants measured on that machine."),
    });
}

Shape measuredProfileShape() {
    Shape shape = object({
        required("format", text(), "orrery-profile/1"),
        field("name", text(), "What it is of, in a line."),
        required("machine", object({required("accelerator", text(), "Id of the catalogue, or what the machine calls it."), field("accelerators", integer(1, mostRanks), "How many there were."), field("described", acceleratorObject(), "What it is, where the catalogue does not have it; a scenario names it by its id.")}), "Where it was measured."),
        required("software", object({required("framework", text(), "Id of the framework profile whose values these replace."), field("framework_version", text(), "Its release.")}), "What was measured."),
        required("constants", calibrationShape(), "What was fitted, by name; those of `execution.calibration`."),
        field("fitted_to", list(anything()), "The measured runs."),
        field("figures", list(anything()), "Each measured figure with what was predicted of it before and after."),
        field("errors", anything(), "How far off predictions were, before and after: of what was fitted, and of what was not."),
        field("notes", anything(), "Free text."),
    });
    return shape;
}

Shape searchShape() {
    Shape objective = object({
        field("minimize", text(), "Pointer into the result."),
        field("maximize", text(), "Pointer into the result."),
    });
    objective.forms = {{"minimize", {"minimize"}, {}}, {"maximize", {"maximize"}, {}}};
    const Shape constraint = object({
        required("pointer", text(), "Pointer into the result."),
        required("op", word({"<", "<=", ">", ">=", "==", "!="}), "Comparison."),
        required("value", anything(), "What it is compared with."),
    });
    return object({
        required("vary", map(list(anything(), 1)), "JSON pointers into the scenario, each with the values to try."),
        field("objective", objective, "What is best."),
        field("constraints", list(constraint), "What every plan must satisfy."),
        field("pareto", objective, "A second objective: no plan of the front is worse than another in both."),
    });
}

Shape variantShape() {
    return object({
        required("name", text(), "What the variant is called."),
        required("edits", map(anything()), "JSON pointers into this scenario, each with the value that replaces what is there; null removes it."),
    });
}

Shape reliabilityShape() {
    return object({
        required("mtbf_hours_per_accelerator", positive(1e12), "Mean time between failures of one accelerator with all that serves it, hours."),
        field("checkpoint_interval_s", positive(1e12), "Time of work between two checkpoints, s; the best one unless given."),
        field("checkpoint_s", number(0, 1e9), "What writing a checkpoint holds the job up for, s.", 0),
        field("restart_s", number(0, 1e9), "From a failure until the job works again, s.", 0),
        field("spares", integer(0, mostRanks), "Accelerators that stand by and take the place of failed ones.", 0),
    });
}

Shape hybridShape() {
    return object({
        field("ranks", map(text()), "Rank number to trace file, relative to the scenario."),
        field("classes", map(choice({text(), integer(0, 1e9)})), "Class of ranks (as `trace plan` names them; \"all\" where there is no plan) to trace file or rank."),
        field("communication", list(object({
                                   required("match", text(), "A part of the kernels' names, letter case ignored; _? is an underscore or none; empty: every name."),
                                   field("communication", boolean(), "Whether such kernels communicate; false: they compute.", true),
                               })),
              "What counts as communication in the records: the first rule that matches a kernel decides, one that none matches computes. As `trace rules` prints the shipped ones, which are taken where this is missing; at most 1,000 rules of 200 letters."),
        field("delays", list(object({
                            required("rank", integer(0, mostRanks), "Rank that is late."),
                            field("before_collective", integer(0, 1e9), "Which of its collectives it is late for, from 0.", 0),
                            required("us", number(0, 1e12), "By how much, µs."),
                        })),
              "What-if: ranks that come late."),
        field("scale_kernels", list(object({
                                   required("match", text(), "A part of the kernels' names, letter case ignored."),
                                   required("factor", number(0, 1e6), "Their times are multiplied by it: 0.5 is twice as fast."),
                               })),
              "What-if: kernels that take another time."),
        field("stops", list(object({
                           required("rank", integer(0, mostRanks), "Rank that stops."),
                           field("before_collective", integer(0, 1e9), "The first of its collectives that it never enters, from 0.", 0),
                       })),
              "What-if: ranks that stop."),
        field("vram_bytes", positive(1e18), "What-if: memory of a device, bytes."),
        field("prune", boolean(), "Leave out what can't reach a recorded rank; results are the same.", true),
    });
}

Shape economicsShape() {
    return object({
        field("price_per_accelerator_hour", number(0, 1e9), "Price of one accelerator for one hour."),
        field("power_w", number(0, 1e9), "Mean power of one accelerator, W."),
        field("tokens_total", positive(1e18), "Tokens of the whole run."),
    });
}

} // namespace orrery::schema

// `workload` of the contract, and what of it is training.

namespace orrery::schema {
namespace {

Shape precisionFor(PrecisionUse use) { return word(precisionWords(use)); }

} // namespace

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

Field imagesField(std::string count, std::string description) {
    constexpr double mostImages = 1e4, mostPixels = 1e5;
    return field("images", object({required(std::move(count), integer(1, mostImages), "How many."), required("width", integer(1, mostPixels), "Pixels."), required("height", integer(1, mostPixels), "Pixels.")}),
                 std::move(description));
}

Shape workloadShape() {
    Shape shape = object({required("kind", wordFor<WorkloadKind>(), "What runs.")});
    shape.variants = {{keyFor(WorkloadKind::training), "Iterations of training.", trainingFields()},
                      {keyFor(WorkloadKind::inference), "One static batch.", inferenceFields()},
                      {keyFor(WorkloadKind::serving), "Requests that come and go.", servingFields()},
                      {keyFor(WorkloadKind::rl), "Rollout and training in turn.", rlFields()}};
    return shape;
}

} // namespace orrery::schema
