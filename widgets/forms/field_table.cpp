#include "widgets/forms/field_table.hpp"

#include <QCoreApplication>

namespace orrery {

namespace {

struct FieldTable {
    Q_DECLARE_TR_FUNCTIONS(FieldTable)

public:
    static std::vector<FieldSpec> model() {
        return {
            {.section = FieldSection::model, .kind = FieldKind::model, .pointer = "/model", .label = tr("Model"), .unit = {},
             .tooltip = tr("The language model that is trained, from the catalogue or from a Hugging Face config.json."),
             .required = true},
        };
    }

    static std::vector<FieldSpec> workload() {
        return {
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/sequence_length",
             .label = tr("Sequence length"), .unit = tr("tokens"), .tooltip = tr("Tokens of one training sequence."),
             .required = true, .step = FieldStep::doubling},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/global_batch_size",
             .label = tr("Global batch"), .unit = tr("sequences"),
             .tooltip = tr("Sequences of one iteration over the whole cluster. A multiple of micro-batch × data."), .required = true,
             .step = FieldStep::batch},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/micro_batch_size",
             .label = tr("Micro-batch"), .unit = tr("sequences"),
             .tooltip = tr("Sequences that go through the pipeline together."), .required = true, .step = FieldStep::one},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/precision", .label = tr("Precision"),
             .unit = {}, .tooltip = tr("Number format of the matrix products."), .required = true,
             .choices = {{"bf16", tr("bf16")},
                         {"fp16", tr("fp16")},
                         {"fp8", tr("fp8")},
                         {"mxfp8", tr("mxfp8")},
                         {"nvfp4", tr("nvfp4")}}},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/optimizer", .label = tr("Optimizer"),
             .unit = {}, .tooltip = tr("Sets the states kept for each parameter and the length of the update."),
             .contractDefault = "adam",
             .choices = {{"adam", tr("Adam")}, {"sgd", tr("SGD"), false}, {"muon", tr("Muon"), false}}},
        };
    }

    static std::vector<FieldSpec> parallelism() {
        return {
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/tensor", .label = tr("Tensor"),
             .unit = {}, .tooltip = tr("Accelerators that share every matrix product of a layer. Divides the attention heads."),
             .step = FieldStep::doubling, .stepButtons = true, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::toggle, .pointer = "/parallelism/sequence", .label = tr("Sequence"),
             .unit = {}, .tooltip = tr("Splits norms and dropout along the sequence over the tensor group; saves activation memory."),
             .contractDefault = false},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/pipeline",
             .label = tr("Pipeline"), .unit = {}, .tooltip = tr("Stages that the layers are split into."), .step = FieldStep::doubling,
             .stepButtons = true, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/virtual_pipeline",
             .label = tr("Chunks per stage"), .unit = {},
             .tooltip = tr("Chunks of layers that each stage holds. More than one interleaves the schedule: a smaller bubble, more communication."),
             .step = FieldStep::one, .stepButtons = true, .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::choice, .pointer = "/parallelism/schedule", .label = tr("Schedule"),
             .unit = {}, .tooltip = tr("Order in which a stage runs the forward and backward passes of its micro-batches."),
             .choices = {{"1f1b", tr("1F1B")},
                         {"interleaved", tr("interleaved")},
                         {"gpipe", tr("GPipe")},
                         {"zb-h1", tr("ZB-H1"), false},
                         {"zb-v", tr("ZB-V"), false},
                         {"dualpipe", tr("DualPipe"), false}}},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer_list, .pointer = "/parallelism/pipeline_layout",
             .label = tr("Layers per chunk"), .unit = {},
             .tooltip = tr("Transformer layers of each chunk in the model's order, such as 39, 41. Left empty: as even as they divide.")},
            {.section = FieldSection::parallelism, .kind = FieldKind::derived, .pointer = "/parallelism/data", .label = tr("Data"),
             .unit = tr("what is left"),
             .tooltip = tr("Copies of the model that share the batch: accelerators / (tensor × context × pipeline). Follows from the others.")},
            {.section = FieldSection::parallelism, .kind = FieldKind::choice, .pointer = "/parallelism/zero_stage",
             .label = tr("ZeRO stage"), .unit = {},
             .tooltip = tr("What the data-parallel ranks share out instead of each keeping a copy: 1 the optimizer states, 2 the gradients too, 3 the weights too."),
             .contractDefault = 0,
             .choices = {{0, tr("0 · nothing")}, {1, tr("1 · optimizer")}, {2, tr("2 · gradients")}, {3, tr("3 · weights")}}},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/context", .label = tr("Context"),
             .unit = {}, .tooltip = tr("Accelerators that share one sequence."), .step = FieldStep::doubling,
             .contractDefault = 1},
            {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/expert", .label = tr("Expert"),
             .unit = {}, .tooltip = tr("Accelerators that share the experts of a layer."), .step = FieldStep::doubling,
             .contractDefault = 1},
        };
    }

    static std::vector<FieldSpec> execution() {
        const QString overlap = tr("Overlap");
        return {
            {.section = FieldSection::execution, .kind = FieldKind::framework, .pointer = "/execution/framework",
             .label = tr("Framework"), .unit = {},
             .tooltip = tr("Software profile: the kernels, overlaps and overheads of its time.")},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/recompute", .label = tr("Recompute"),
             .unit = {}, .tooltip = tr("Which activations are computed again in the backward pass instead of kept."),
             .choices = {{"none", tr("none")}, {"selective", tr("selective")}, {"full", tr("full")}, {"auto", tr("least that fits")}}},
            {.section = FieldSection::execution, .kind = FieldKind::choice, .pointer = "/execution/attention", .label = tr("Attention"),
             .unit = {}, .tooltip = tr("Flash keeps no score matrix; unfused writes it to memory."),
             .choices = {{"flash", tr("flash")}, {"unfused", tr("unfused")}}},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/compile", .label = tr("Compile"),
             .unit = {}, .tooltip = tr("A compiler fuses the element-wise operators between matrix products.")},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/cuda_graphs",
             .label = tr("CUDA graphs"), .unit = {}, .tooltip = tr("Kernels are launched in recorded batches: no host time for each.")},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/tensor", .label = tr("tensor"),
             .unit = {}, .tooltip = tr("Tensor-parallel collectives run beside the matrix products they feed."), .group = overlap},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/pipeline",
             .label = tr("pipeline"), .unit = {}, .tooltip = tr("A stage computes while it sends and receives."), .group = overlap},
            {.section = FieldSection::execution, .kind = FieldKind::toggle, .pointer = "/execution/overlap/data", .label = tr("data"),
             .unit = {}, .tooltip = tr("Gradients are reduced while the backward pass still runs."), .group = overlap},
        };
    }

    static std::vector<FieldSpec> passes() {
        const auto pass = [](const char* pointer, const QString& label, const QString& tooltip) {
            return FieldSpec{.section = FieldSection::passes, .kind = FieldKind::toggle, .pointer = pointer, .label = label, .unit = {},
                             .tooltip = tooltip, .contractDefault = true, .group = QStringLiteral(" ")};
        };
        return {
            pass("/execution/passes/fusion", tr("fusion"), tr("Joins neighbouring operators that run as one kernel.")),
            pass("/execution/passes/tensor", tr("tensor"), tr("Splits operators over the tensor group and adds its collectives.")),
            pass("/execution/passes/sequence", tr("sequence"), tr("Splits what tensor parallelism leaves whole along the sequence.")),
            pass("/execution/passes/recompute", tr("recompute"), tr("Drops activations and computes them again.")),
            pass("/execution/passes/overlap", tr("overlap"), tr("Lets communication run beside computation where the execution allows it.")),
        };
    }

    static std::vector<FieldSpec> cost() {
        return {
            {.section = FieldSection::cost, .kind = FieldKind::number, .pointer = "/economics/price_per_accelerator_hour",
             .label = tr("Price"), .unit = tr("$ per hour"), .tooltip = tr("Price of one accelerator for one hour."),
             .step = FieldStep::none},
            {.section = FieldSection::cost, .kind = FieldKind::number, .pointer = "/economics/power_w", .label = tr("Power"),
             .unit = tr("W"), .tooltip = tr("Power that one accelerator draws, its share of the node included.")},
            {.section = FieldSection::cost, .kind = FieldKind::number, .pointer = "/economics/tokens_total", .label = tr("Total tokens"),
             .unit = tr("tokens"), .tooltip = tr("Tokens of the whole training run; 15T and 1.5e13 are understood.")},
        };
    }

    static QString title(FieldSection section) {
        switch (section) {
        case FieldSection::model: return tr("Model");
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
    for (auto&& part : {FieldTable::model(), FieldTable::workload(), FieldTable::parallelism(), FieldTable::execution(),
                        FieldTable::passes(), FieldTable::cost()})
        fields.insert(fields.end(), part.begin(), part.end());
    return fields;
}

QString sectionTitle(FieldSection section) { return FieldTable::title(section); }

const char* sectionPrefix(FieldSection section) {
    switch (section) {
    case FieldSection::model: return "/model";
    case FieldSection::workload: return "/workload";
    case FieldSection::parallelism: return "/parallelism";
    case FieldSection::execution: return "/execution";
    case FieldSection::passes: return "/execution/passes";
    case FieldSection::cost: return "/economics";
    }
    return "";
}

} // namespace orrery
