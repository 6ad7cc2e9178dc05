// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/pass_table.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orrery {

const std::vector<PassInfo>& passTable() {
    static const std::vector<PassInfo> table{
        {PassId::precision, "precision", "Gives the layers' products 8- or 4-bit operands and casts what comes in.", "Products are in bf16."},
        {PassId::fusion, "fusion", "Replaces kernels that follow each other by fused ones: flash attention, softmax with its mask, activation, dropout with its sum.",
         "Every step is a kernel of its own."},
        {PassId::tensor, "tensor", "Shares weights, heads and vocabulary out over the tensor ranks and adds up their partial results.",
         "1 tensor rank; the others become data ranks."},
        {PassId::sequence, "sequence", "Shares the tokens of norms, dropouts and sums out over the tensor ranks.", "Every tensor rank works on all tokens between the products."},
        {PassId::context, "context", "Shares every sequence out over the context ranks and lets attention see all keys and values.",
         "1 context rank; the others become data ranks."},
        {PassId::expert, "expert", "Shares experts out and sends tokens to them and back.", "Every rank holds all experts."},
        {PassId::expert_tensor, "expert_tensor", "Shares each expert's matrices out, gathers rows before and adds up results after.",
         "An expert's matrices are whole on its rank."},
        {PassId::lora, "lora", "Freezes the weights and trains thin matrices beside them.", "All weights are trained (task sft)."},
        {PassId::recompute, "recompute", "Runs forward work again in backward instead of keeping what it made.", "Everything that backward reads is kept."},
        {PassId::chunked_loss, "chunked_loss", "Makes logits, loss and their gradients for a part of the tokens at a time.", "Logits are there for all tokens at once."},
        {PassId::offload, "offload", "Moves weights, activations or optimizer states to host memory and back.", "Everything stays on the accelerator."},
        {PassId::pipeline, "pipeline", "Splits the layers over stages and sends activations and their gradients from one to the next.",
         "1 stage; the others become data ranks."},
        {PassId::data, "data", "Trains replicas on parts of the batch and adds up their gradients.", "1 replica, which trains on its part of the batch and runs alone."},
        {PassId::zero, "zero", "Shares optimizer states, gradients or weights out over the replicas (ZeRO; stage 3 is FSDP).", "Every replica holds everything."},
        {PassId::hsdp, "hsdp", "Shards within groups of replicas and adds up gradients between the groups.", "States are sharded over all replicas."},
        {PassId::overlap, "overlap", "Lets communication run beside computation.", "Communication and computation take turns."},
    };
    return table;
}

const PassInfo& passInfo(PassId id) { return passTable()[static_cast<std::size_t>(id)]; }

std::optional<PassId> findPass(std::string_view name) {
    for (const PassInfo& info : passTable())
        if (name == info.name) return info.id;
    return std::nullopt;
}

namespace {

bool overlapsAnything(const Execution& execution) {
    const Overlap& overlap = execution.overlap;
    return overlap.data || overlap.tensor || overlap.pipeline || overlap.expert || execution.profile.asyncTensorCollectives;
}

std::string thereIsOne(const char* what) { return std::string("there is 1 ") + what + "."; }

} // namespace

std::string whyPassIsIdle(PassId id, const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    if (scenario.recorded()) return "the graph runs as it was recorded.";
    switch (id) {
    case PassId::precision:
        if (traitsOf(scenario.precision()).format == MatrixFormat::sixteen_bit) return "products are in " + std::string(wordOf(scenario.precision())) + ".";
        break;
    case PassId::fusion:
        if (execution.attention == AttentionKind::unfused && !execution.compile && !execution.profile.fusedSoftmax && !execution.profile.fusedElementwise)
            return "attention is unfused and the profile fuses nothing.";
        break;
    case PassId::tensor:
        if (plan.tensor == 1) return thereIsOne("tensor rank");
        break;
    case PassId::sequence:
        if (plan.tensor == 1) return thereIsOne("tensor rank");
        if (!plan.sequence) return "sequence parallelism is off.";
        break;
    case PassId::context:
        if (plan.context == 1) return thereIsOne("context rank");
        break;
    case PassId::expert:
        if (!scenario.model.experts) return "the model has no experts.";
        if (plan.expert == 1) return thereIsOne("expert rank");
        break;
    case PassId::expert_tensor:
        if (!scenario.model.experts) return "the model has no experts.";
        if (plan.expertTensor == 1) return "no expert's matrices are shared out.";
        break;
    case PassId::lora:
        if (scenario.training().task != TaskKind::lora) return "all weights are trained.";
        break;
    case PassId::recompute:
        if (execution.recompute == RecomputeKind::none) return "nothing is recomputed.";
        break;
    case PassId::chunked_loss:
        if (!execution.chunkedLoss) return "the loss takes all tokens at once.";
        break;
    case PassId::offload:
        if (!execution.offload.any()) return "nothing is in host memory.";
        break;
    case PassId::pipeline:
        if (plan.pipeline == 1) return thereIsOne("pipeline stage");
        break;
    case PassId::data:
        if (plan.data == 1) return thereIsOne("replica");
        break;
    case PassId::zero:
        if (plan.zeroStage == 0) return "ZeRO stage 0 shares nothing out.";
        if (plan.replicas() == 1) return thereIsOne("replica");
        break;
    case PassId::hsdp:
        if (plan.zeroStage == 0) return "ZeRO stage 0 shares nothing out.";
        if (plan.shardGroup == 0 || plan.shardGroup == plan.replicas()) return "states are sharded over all replicas.";
        break;
    case PassId::overlap:
        if (!overlapsAnything(execution)) return "nothing is overlapped.";
        break;
    }
    return {};
}

bool isSwitchedOff(PassId id, const Scenario& scenario) {
    const auto found = scenario.execution.passes.find(passInfo(id).name);
    return found != scenario.execution.passes.end() && !found->second;
}

} // namespace orrery
