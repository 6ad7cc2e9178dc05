// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_table.hpp"

#include "core/base/json.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/scenario_words.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/forms/rl_fields.hpp"
#include "widgets/forms/served_fields.hpp"

#include <QCoreApplication>

namespace orrery {
namespace {

template <class Enum> std::string keyOf(Enum value) { return std::string(wordOf(value)); }
template <class Enum> Json spelled(Enum value) { return keyOf(value); }

/// Named as the format names them.
std::vector<FieldChoice> precisions(PrecisionUse use) {
    std::vector<FieldChoice> choices;
    for (const std::string& name : precisionWords(use)) choices.push_back({name, QString::fromUtf8(name)});
    return choices;
}

/// Named as PEFT names them.
std::vector<FieldChoice> adapterTargets() {
    std::vector<FieldChoice> choices;
    for (const std::string& name : textWords<AdapterTarget>()) choices.push_back({name, QString::fromUtf8(name)});
    return choices;
}

/// Those that a scenario has which names none come first.
std::vector<FieldChoice> schedules() {
    std::vector<FieldChoice> choices;
    const auto add = [&](const ScheduleTraits& traits) { choices.push_back({std::string(traits.word), coreWords(QString::fromUtf8(traits.title)), coreWords(QString::fromUtf8(traits.description))}); };
    const PipelineOrder single = usualOrder(1), several = usualOrder(2);
    add(traitsOf(single));
    add(traitsOf(several));
    for (const ScheduleTraits& traits : scheduleTraits)
        if (traits.order != single && traits.order != several) add(traits);
    return choices;
}

struct FieldTable {
    Q_DECLARE_TR_FUNCTIONS(FieldTable)

public:
    static std::vector<FieldSpec> model() {
        return {
            {.section = FieldSection::model, .kind = FieldKind::model, .pointer = "/model", .label = tr("Model"), .tooltip = tr("The language model that is trained, from the catalogue or from a Hugging Face config.json."), .required = true},
        };
    }

    static std::vector<FieldSpec> cluster() {
        return {
            {.section = FieldSection::cluster, .kind = FieldKind::platform, .pointer = "/cluster", .label = tr("Host"), .tooltip = tr("The machine as sold. Another one brings its accelerators, scale-up and network cards along; numbers that you typed stay."), .required = true},
            {.section = FieldSection::cluster, .kind = FieldKind::accelerator, .pointer = "/cluster/accelerator", .label = tr("Accelerator"), .tooltip = tr("The chip. What came from its platform, links and memory say, follows it; numbers that you typed stay."), .required = true},
            {.section = FieldSection::cluster, .kind = FieldKind::integer, .pointer = "/cluster/accelerators_per_node", .label = tr("In one host"), .unit = tr("accelerators"), .tooltip = tr("Accelerators of one host."), .step = FieldStep::doubling},
            {.section = FieldSection::cluster, .kind = FieldKind::integer, .pointer = "/cluster/nodes", .label = tr("Hosts"), .tooltip = tr("How many hosts there are. In a drawing, more are copies of the last one, cabled as it is; fewer go from the end."), .step = FieldStep::doubling, .stepButtons = true},
            {.section = FieldSection::cluster, .kind = FieldKind::integer, .pointer = "/cluster/scale_up/domain_size", .label = tr("Scale-up domain"), .unit = tr("accelerators"), .tooltip = tr("The most accelerators that share one scale-up fabric, such as NVLink: one host's unless the platform's fabric reaches over hosts (72 of an NVL72)."), .step = FieldStep::doubling},
            {.section = FieldSection::cluster, .kind = FieldKind::data_rate, .pointer = "/cluster/scale_out/bandwidth_gb_s", .label = tr("Network speed"), .unit = tr("GB/s"), .tooltip = tr("What the network between hosts gives each accelerator, per direction. Type 50, 50 GB/s or 400 Gb/s. In a drawing it makes all links as many times as fast."), .step = FieldStep::doubling},
        };
    }

    static std::vector<FieldSpec> workload() {
        return {
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/sequence_length", .label = tr("Sequence length"), .unit = tr("tokens"), .tooltip = tr("Tokens of one training sequence."), .required = true, .step = FieldStep::doubling},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/global_batch_size", .label = tr("Global batch"), .unit = tr("sequences"), .tooltip = tr("Sequences of one iteration over the whole cluster. A multiple of micro-batch × data."), .required = true, .step = FieldStep::batch},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/micro_batch_size", .label = tr("Micro-batch"), .unit = tr("sequences"), .tooltip = tr("Sequences that go through the pipeline together."), .required = true, .step = FieldStep::one},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/precision", .label = tr("Precision"), .tooltip = tr("Number format of the matrix products."), .required = true, .choices = precisions(PrecisionUse::inference)},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/optimizer", .label = tr("Optimizer"), .tooltip = tr("Sets the states kept for each parameter and the length of the update."), .contractDefault = spelled(OptimizerKind::adam), .choices = {{spelled(OptimizerKind::adam), tr("Adam")}, {spelled(OptimizerKind::sgd), tr("SGD")}, {spelled(OptimizerKind::muon), tr("Muon")}}},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/fp8_recipe", .label = tr("FP8 scales"), .tooltip = tr("What one scaling factor covers: a whole tensor, a row, or a block."), .choices = {{spelled(Fp8Recipe::tensorwise), tr("whole tensor")}, {spelled(Fp8Recipe::rowwise), tr("row")}, {spelled(Fp8Recipe::block), tr("block")}}},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/gradient_precision", .label = tr("Gradients"), .tooltip = tr("Number format that gradients are kept and reduced in."), .choices = precisions(PrecisionUse::gradients)},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/optimizer_precision", .label = tr("Optimizer states"), .tooltip = tr("Number format of the optimizer's moments."), .choices = precisions(PrecisionUse::optimizer_states)},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/weight_precision", .label = tr("Weights kept in"), .tooltip = tr("Number format that weights are kept and updated in: fp32, or 16 bit with no copy in fp32."), .choices = precisions(PrecisionUse::weights)},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/gradient_reduce_precision", .label = tr("Gradients sent in"), .tooltip = tr("Number format of gradients on the wire."), .choices = precisions(PrecisionUse::gradients)},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/task", .label = tr("Task"), .tooltip = tr("What is trained: all weights, or with LoRA thin matrices beside frozen ones."), .contractDefault = spelled(TaskKind::pretrain), .choices = {{spelled(TaskKind::pretrain), tr("pre-training")}, {spelled(TaskKind::sft), tr("fine-tuning")}, {spelled(TaskKind::lora), tr("LoRA")}}},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/lora_rank", .label = tr("LoRA rank"), .tooltip = tr("Width of the thin matrices beside each linear layer."), .step = FieldStep::doubling},
            {.section = FieldSection::workload, .kind = FieldKind::check_list, .pointer = "/workload/lora_targets", .label = tr("LoRA targets"), .tooltip = tr("Linear layers with thin matrices beside them, by PEFT's names; none: the profile's."), .choices = adapterTargets()},
        };
    }

    static std::vector<FieldSpec> parallelism() {
        return {
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/tensor", .label = tr("Tensor"), .tooltip = tr("Accelerators that share every matrix product of a layer. Divides the attention heads."), .step = FieldStep::doubling, .stepButtons = true, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::toggle, .pointer = "/parallelism/sequence", .label = tr("Sequence"), .tooltip = tr("Splits norms and dropout along the sequence over the tensor group; saves activation memory."), .contractDefault = false},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/pipeline", .label = tr("Pipeline"), .tooltip = tr("Stages that the layers are split into."), .step = FieldStep::doubling, .stepButtons = true, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/virtual_pipeline", .label = tr("Chunks per stage"), .tooltip = tr("Chunks of layers that each stage holds. More than one interleaves the schedule: a smaller bubble, more communication."), .step = FieldStep::one, .stepButtons = true, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::choice, .pointer = "/parallelism/schedule", .label = tr("Schedule"), .tooltip = tr("Order in which a stage runs the forward and backward passes of its micro-batches."), .choices = schedules()},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer_list, .pointer = "/parallelism/pipeline_layout", .label = tr("Layers per chunk"), .tooltip = tr("Transformer layers of each chunk in the model's order, such as 39, 41. Left empty: as even as they divide.")},
            {.section = FieldSection::parallelism, .kind = FieldKind::derived, .pointer = "/parallelism/data", .label = tr("Data"), .unit = tr("what is left"), .tooltip = tr("Copies of the model that share the batch: accelerators / (tensor × context × pipeline). Follows from the others.")},
            {.section = FieldSection::parallelism, .kind = FieldKind::choice, .pointer = "/parallelism/zero_stage", .label = tr("ZeRO stage"), .tooltip = tr("What the data-parallel ranks share out instead of each keeping a copy: 1 the optimizer states, 2 the gradients too, 3 the weights too."), .contractDefault = 0, .choices = {{0, tr("0 · nothing")}, {1, tr("1 · optimizer")}, {2, tr("2 · gradients")}, {3, tr("3 · weights")}}},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/shard_group", .label = tr("Shard group"), .unit = tr("ranks"), .tooltip = tr("HSDP: ranks that share out one copy of what ZeRO shards; the others hold copies. Left empty: all of them share one."), .step = FieldStep::doubling},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/context", .label = tr("Context"), .tooltip = tr("Accelerators that share one sequence."), .step = FieldStep::doubling, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::choice, .pointer = "/parallelism/context_method", .label = tr("Context by"), .tooltip = tr("How attention sees the keys and values of the other context ranks."), .choices = {{spelled(ContextMethod::ring), tr("ring"), tr("Keys and values go round beside the attention.")}, {spelled(ContextMethod::all_gather), tr("all-gather"), tr("Keys and values are gathered before the attention.")}, {spelled(ContextMethod::all_to_all), tr("all-to-all"), tr("Heads are exchanged for tokens around the attention (Ulysses).")}}},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/expert", .label = tr("Expert"), .tooltip = tr("Accelerators that share the experts of a layer."), .step = FieldStep::doubling, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/expert_tensor", .label = tr("Expert tensor"), .tooltip = tr("Accelerators that share each expert's matrices."), .step = FieldStep::doubling, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::choice, .pointer = "/parallelism/order", .label = tr("Rank order"), .tooltip = tr("Which ranks are neighbours; the first are next to each other."), .contractDefault = "tp-cp-ep-dp-pp", .choices = {{"tp-cp-ep-dp-pp", tr("tp-cp-ep-dp-pp")}, {"tp-cp-ep-pp-dp", tr("tp-cp-ep-pp-dp")}, {"tp-pp-cp-ep-dp", tr("tp-pp-cp-ep-dp")}}},
        };
    }

    static std::vector<FieldSpec> execution() {
        const QString overlap = tr("Overlap");
        return {
            {.section = FieldSection::execution, .kind = FieldKind::framework, .pointer = "/execution/framework", .label = tr("Framework"), .tooltip = tr("Software profile: the kernels, overlaps and overheads of its time.")},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/recompute", .label = tr("Recompute"), .tooltip = tr("Which activations are computed again in the backward pass instead of kept."), .choices = {{spelled(RecomputeKind::none), tr("none")}, {spelled(RecomputeKind::selective), tr("selective"), tr("The attention core.")}, {spelled(RecomputeKind::full), tr("full"), tr("Every layer from its input.")}, {Json{{keyOf(RecomputeKind::modules), {keyOf(RecomputeModule::core_attention)}}}, tr("by module"), tr("The parts of a layer that are ticked below.")}, {Json{{keyOf(RecomputeKind::every), 2}}, tr("every n-th layer"), tr("Whole layers, one in n.")}, {spelled(RecomputeKind::automatic), tr("least that fits")}}},
            {.section = FieldSection::execution, .kind = FieldKind::check_list, .pointer = "/execution/recompute/modules", .label = tr("Modules"), .tooltip = tr("Parts of a layer that are computed again in the backward pass."), .choices = {{spelled(RecomputeModule::core_attention), tr("attention core")}, {spelled(RecomputeModule::norms), tr("norms")}, {spelled(RecomputeModule::latent_up_projections), tr("latent up-projections")}, {spelled(RecomputeModule::feed_forward), tr("MLP")}, {spelled(RecomputeModule::experts), tr("experts")}, {spelled(RecomputeModule::expert_activation), tr("experts' activation")}, {spelled(RecomputeModule::shared_experts), tr("shared experts")}}, .partOfChoice = true},
            {.section = FieldSection::execution, .kind = FieldKind::integer, .pointer = "/execution/recompute/every", .label = tr("One layer in"), .tooltip = tr("One of so many layers is recomputed as a whole."), .required = true, .step = FieldStep::one, .partOfChoice = true},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/attention", .label = tr("Attention"), .tooltip = tr("Flash keeps no score matrix; unfused writes it to memory."), .choices = {{spelled(AttentionKind::flash), tr("flash"), tr("The kernels of the framework.")}, {spelled(AttentionKind::unfused), tr("unfused")}, {spelled(AttentionKind::fa2), tr("FlashAttention-2")}, {spelled(AttentionKind::fa3), tr("FlashAttention-3")}, {spelled(AttentionKind::fa4), tr("FlashAttention-4")}, {spelled(AttentionKind::cudnn), tr("cuDNN")}}},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/attention_precision", .label = tr("Attention in"), .tooltip = tr("Number format of fused attention's products."), .choices = {{spelled(AttentionPrecision::fp8), tr("fp8")}}},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/compile", .label = tr("Compile"), .tooltip = tr("A compiler fuses the element-wise operators between matrix products.")},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/cuda_graphs", .label = tr("CUDA graphs"), .tooltip = tr("Kernels are launched in recorded batches: no host time for each."), .choices = {{false, tr("none"), tr("The host launches every kernel.")}, {true, tr("as usual"), tr("What the framework's graphs hold: most leave experts out.")}, {spelled(GraphsHeld::full_iteration), tr("whole iteration")}, {Json{{keyOf(GraphsHeld::parts), {spelled(GraphPart::attention), spelled(GraphPart::moe_router), spelled(GraphPart::moe_preprocess)}}}, tr("parts of layers"), tr("Those that are ticked below.")}}},
            {.section = FieldSection::execution, .kind = FieldKind::check_list, .pointer = "/execution/cuda_graphs/scope", .label = tr("In graphs"), .tooltip = tr("Parts of a layer that CUDA graphs hold; the host launches the others."), .choices = {{spelled(GraphPart::attention), tr("attention")}, {spelled(GraphPart::mlp), tr("MLP")}, {spelled(GraphPart::moe), tr("experts")}, {spelled(GraphPart::moe_router), tr("router")}, {spelled(GraphPart::moe_preprocess), tr("dispatch's preparation")}, {spelled(GraphPart::mamba), tr("Mamba")}}, .partOfChoice = true},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/tensor", .label = tr("tensor"), .tooltip = tr("Tensor-parallel collectives run beside the matrix products they feed."), .group = overlap},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/pipeline", .label = tr("pipeline"), .tooltip = tr("A stage computes while it sends and receives."), .group = overlap},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/data", .label = tr("data"), .tooltip = tr("Gradients are reduced while the backward pass still runs."), .group = overlap},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/expert", .label = tr("expert"), .tooltip = tr("Tokens travel to the experts and back while others are computed."), .group = overlap},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/moe_dispatcher", .label = tr("Dispatcher"), .tooltip = tr("How tokens come to their experts."), .choices = {{spelled(ExpertDispatcher::alltoall), tr("all-to-all"), tr("A row for each expert that a token visits.")}, {spelled(ExpertDispatcher::allgather), tr("all-gather"), tr("Every rank gathers all tokens.")}, {spelled(ExpertDispatcher::deepep), tr("DeepEP"), tr("A token once to every rank.")}, {spelled(ExpertDispatcher::hybridep), tr("Hybrid-EP"), tr("A token once to every rank.")}}},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/fused_experts", .label = tr("Fused experts"), .tooltip = tr("One kernel for all experts of a product, with activation and quantisation in it.")},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/moe_dispatch", .label = tr("Dispatch"), .tooltip = tr("What happens to tokens beyond an expert's room."), .contractDefault = spelled(ExpertDispatch::dropless), .choices = {{spelled(ExpertDispatch::dropless), tr("dropless"), tr("Every token is computed; the busiest rank sets the pace.")}, {Json{{keyOf(ExpertDispatch::capacity), 1.25}}, tr("capacity"), tr("Experts take so many times their even share; other tokens are dropped.")}}},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/moe_dispatch/capacity_factor", .label = tr("Capacity factor"), .tooltip = tr("Room of an expert over its even share."), .required = true, .partOfChoice = true},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/expert_load", .label = tr("Expert load"), .tooltip = tr("How tokens spread over the experts."), .contractDefault = spelled(ExpertLoad::balanced), .choices = {{spelled(ExpertLoad::balanced), tr("balanced")}, {Json{{keyOf(ExpertLoad::zipf), 0.5}}, tr("Zipf"), tr("The i-th expert gets tokens in proportion to i to the minus exponent.")}, {Json{{keyOf(ExpertLoad::histogram), {2, 1}}}, tr("by histogram"), tr("Relative loads, one expert after the other.")}}},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/expert_load/zipf", .label = tr("Exponent"), .tooltip = tr("0 is balanced; at 1 the first expert gets twice what the second gets."), .required = true, .partOfChoice = true},
            {.section = FieldSection::execution, .kind = FieldKind::number_list, .pointer = "/execution/expert_load/histogram", .label = tr("Loads"), .tooltip = tr("Relative load of each expert, such as 4 2 1 1; repeated for further experts."), .required = true, .partOfChoice = true},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/offload/weights", .label = tr("Weights on host"), .unit = tr("share"), .tooltip = tr("Share of the weights that lives in host memory, 0 to 1."), .contractDefault = 0},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/offload/activations", .label = tr("Activations on host"), .unit = tr("share"), .tooltip = tr("Share of the activations that lives in host memory between forward and backward, 0 to 1."), .contractDefault = 0},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/offload/optimizer", .label = tr("Optimizer on host"), .unit = tr("share"), .tooltip = tr("Share of the optimizer's states that lives in host memory, where their step then runs, 0 to 1."), .contractDefault = 0},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/jitter/method", .label = tr("Jitter"), .tooltip = tr("Kernels and hosts that vary: all wait for the slowest, and the more there are the longer."), .choices = {{spelled(JitterMethod::analytic), tr("expected"), tr("The expected slowest of those that wait for each other.")}, {spelled(JitterMethod::sampled), tr("drawn by seed"), tr("One iteration after the other drawn at random, always the same by one seed.")}}, .absent = tr("none")},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/jitter/sigma", .label = tr("Kernels vary"), .unit = tr("sigma"), .tooltip = tr("Standard deviation of the logarithm of a kernel's time: 0.02 is about 2 %.")},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/jitter/operators/communication", .label = tr("Collectives vary"), .unit = tr("sigma"), .tooltip = tr("The same for collectives and sends, where it differs.")},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/jitter/hosts/sigma", .label = tr("Hosts vary"), .unit = tr("sigma"), .tooltip = tr("Standard deviation of the logarithm of a factor that each host has as long as the job runs.")},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/jitter/hosts/slow_share", .label = tr("Slow hosts"), .unit = tr("share"), .tooltip = tr("Share of the hosts that are slow as long as the job runs, 0 to 1.")},
            {.section = FieldSection::execution, .kind = FieldKind::number, .pointer = "/execution/jitter/hosts/slowdown", .label = tr("Slow by"), .unit = tr("times"), .tooltip = tr("How many times as long a slow host takes for all that it computes.")},
            {.section = FieldSection::execution, .kind = FieldKind::integer, .pointer = "/execution/jitter/seed", .label = tr("Seed"), .tooltip = tr("Another seed, other draws."), .step = FieldStep::one},
        };
    }

    static std::vector<FieldSpec> passes() {
        const auto pass = [](const char* pointer, const QString& label, const QString& tooltip) {
            return FieldSpec{.section = FieldSection::passes, .kind = FieldKind::pass, .pointer = pointer, .label = label, .tooltip = tooltip, .contractDefault = true};
        };
        FieldSpec chunked = pass("/execution/passes/chunked_loss", tr("chunked loss"), tr("Makes logits, loss and their gradients for a part of the tokens at a time."));
        chunked.contractDefault = false;
        return {
            pass("/execution/passes/precision", tr("precision"), tr("Gives the layers' products 8- or 4-bit operands and casts what comes in.")),
            pass("/execution/passes/fusion", tr("fusion"), tr("Replaces kernels that follow each other by fused ones.")),
            pass("/execution/passes/tensor", tr("tensor"), tr("Shares weights, heads and vocabulary out over the tensor ranks and adds its collectives.")),
            pass("/execution/passes/sequence", tr("sequence"), tr("Shares the tokens of what tensor parallelism leaves whole.")),
            pass("/execution/passes/context", tr("context"), tr("Shares every sequence out over the context ranks.")),
            pass("/execution/passes/expert", tr("expert"), tr("Shares experts out and sends tokens to them and back.")),
            pass("/execution/passes/expert_tensor", tr("expert tensor"), tr("Shares each expert's matrices out.")),
            pass("/execution/passes/lora", tr("LoRA"), tr("Freezes the weights and trains thin matrices beside them.")),
            pass("/execution/passes/recompute", tr("recompute"), tr("Runs forward work again in backward instead of keeping what it made.")),
            chunked,
            pass("/execution/passes/offload", tr("offload"), tr("Moves weights, activations or optimizer states to host memory and back.")),
            pass("/execution/passes/pipeline", tr("pipeline"), tr("Splits the layers over stages and sends activations and gradients between them.")),
            pass("/execution/passes/data", tr("data"), tr("Trains replicas on parts of the batch and adds up their gradients.")),
            pass("/execution/passes/zero", tr("ZeRO"), tr("Shares optimizer states, gradients or weights out over the replicas.")),
            pass("/execution/passes/hsdp", tr("HSDP"), tr("Shards within groups of replicas and adds up gradients between the groups.")),
            pass("/execution/passes/overlap", tr("overlap"), tr("Lets communication run beside computation where the execution allows it.")),
        };
    }

    static std::vector<FieldSpec> cost() {
        return {
            {.section = FieldSection::cost, .kind = FieldKind::number, .pointer = "/economics/price_per_accelerator_hour", .label = tr("Price"), .unit = tr("$ per hour"), .tooltip = tr("Price of one accelerator for one hour."), .step = FieldStep::none},
            {.section = FieldSection::cost, .kind = FieldKind::number, .pointer = "/economics/power_w", .label = tr("Power"), .unit = tr("W"), .tooltip = tr("Power that one accelerator draws, its share of the node included.")},
            {.section = FieldSection::cost, .kind = FieldKind::number, .pointer = "/economics/tokens_total", .label = tr("Total tokens"), .unit = tr("tokens"), .tooltip = tr("Tokens of the whole training run; 15T and 1.5e13 are understood.")},
        };
    }

    static QString title(FieldSection section) {
        switch (section) {
        case FieldSection::model: return tr("Model");
        case FieldSection::cluster: return tr("Cluster");
        case FieldSection::workload: return tr("Workload");
        case FieldSection::parallelism: return tr("Parallelism");
        case FieldSection::execution: return tr("Execution");
        case FieldSection::passes: return tr("Passes");
        case FieldSection::cost: return tr("Cost");
        }
        return {};
    }
};

} // namespace

std::vector<FieldSpec> scenarioFields() {
    std::vector<FieldSpec> fields;
    const auto add = [&fields](const std::vector<FieldSpec>& part) { fields.insert(fields.end(), part.begin(), part.end()); };
    const auto addShared = [&add](std::vector<FieldSpec> part) {
        for (FieldSpec& spec : part) spec.kinds = kindsOfField(spec.pointer);
        add(part);
    };
    addShared(FieldTable::model());
    addShared(FieldTable::cluster());
    add({workloadKindField()});
    addShared(FieldTable::workload());
    add(servedWorkloadFields());
    add(rlFields());
    addShared(FieldTable::parallelism());
    add(servedParallelismFields());
    addShared(FieldTable::execution());
    addShared(FieldTable::passes());
    addShared(FieldTable::cost());
    return fields;
}

WorkloadKinds kindNamed(std::string_view word) {
    if (word == "inference") return inInference;
    if (word == "rl") return inRl;
    return word == "serving" ? inServing : inTraining;
}

QString sectionTitle(FieldSection section) { return FieldTable::title(section); }

const char* sectionPrefix(FieldSection section) {
    switch (section) {
    case FieldSection::model: return "/model";
    case FieldSection::cluster: return "/cluster";
    case FieldSection::workload: return "/workload";
    case FieldSection::parallelism: return "/parallelism";
    case FieldSection::execution: return "/execution";
    case FieldSection::passes: return "/execution/passes";
    case FieldSection::cost: return "/economics";
    }
    return "";
}

} // namespace orrery
