// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_rules.hpp"

#include "core/base/json.hpp"

#include <QCoreApplication>

namespace orrery {

namespace {

struct FieldRules {
    Q_DECLARE_TR_FUNCTIONS(FieldRules)

public:
    static NotApplicable noExperts() { return {tr("The model has no experts."), tr("no experts")}; }
    static NotApplicable oneStage() { return {tr("There is one pipeline stage: nothing to schedule."), tr("one stage")}; }

    static NotApplicable parallelism(std::string_view key, const PlanFacts& facts) {
        if (key == "sequence" && facts.tensor == 1) return {tr("Sequence parallelism splits over tensor ranks, and there is 1."), tr("one tensor rank")};
        if ((key == "virtual_pipeline" || key == "schedule") && facts.pipeline == 1) return oneStage();
        if (key == "virtual_pipeline" && (facts.schedule == "gpipe" || facts.schedule == "zb-h1" || facts.schedule == "dualpipe"))
            return {tr("The chosen schedule has one chunk per stage."), tr("one by schedule")};
        if (key == "pipeline_layout" && facts.pipeline == 1) return {tr("There is one pipeline stage: it holds every layer."), tr("one stage")};
        if (key == "context_method" && facts.context == 1) return {tr("There is one context rank: nobody to exchange with."), tr("one context rank")};
        if ((key == "expert" || key == "expert_tensor") && !facts.hasExperts()) return noExperts();
        if (key == "shard_group" && facts.zeroStage == 0)
            return {tr("A shard group shares out what ZeRO shards, and ZeRO shards nothing."), tr("ZeRO is off")};
        return {};
    }

    static NotApplicable workload(std::string_view key, const PlanFacts& facts) {
        const bool eightBit = facts.precision == "fp8" || facts.precision == "mxfp8";
        if (key == "fp8_recipe" && !eightBit) return {tr("Products are in %1, which has no scales to choose.").arg(QString::fromStdString(facts.precision)), tr("not in fp8")};
        if (key == "fp8_recipe" && facts.precision == "mxfp8") return {tr("mxfp8 scales blocks of 32 elements; there is nothing to choose."), tr("blocks of 32")};
        if (key == "lora_rank" && facts.task != "lora") return {tr("All weights are trained: there are no adapters."), tr("no adapters")};
        return {};
    }

    static NotApplicable execution(std::string_view key, const PlanFacts& facts) {
        if ((key == "moe_dispatch" || key == "expert_load" || key == "overlap/expert") && !facts.hasExperts()) return noExperts();
        if (key == "overlap/tensor" && facts.tensor == 1) return {tr("There is one tensor rank: no collectives to hide."), tr("one tensor rank")};
        if (key == "overlap/pipeline" && facts.pipeline == 1) return {tr("There is one pipeline stage: nothing is sent."), tr("one stage")};
        if (key == "overlap/expert" && facts.expert == 1) return {tr("Every rank holds all experts: no tokens are sent."), tr("one expert rank")};
        return {};
    }

    static NotApplicable schedule(const std::string& word, const PlanFacts& facts) {
        const bool several = facts.chunksGiven && facts.chunks > 1;
        if (word == "interleaved" && !several) return {tr("Interleaving needs more than one chunk per stage."), tr("needs 2 chunks")};
        if ((word == "zb-v" || word == "v-half" || word == "v-min") && facts.chunksGiven && facts.chunks != 2) {
            const QString name = word == "zb-v" ? tr("ZB-V") : word == "v-half" ? tr("V-Half")
                                                                                : tr("V-Min");
            return {tr("%1 runs the model down the stages and back up: each holds 2 chunks.").arg(name), tr("needs 2 chunks")};
        }
        if ((word == "1f1b" || word == "gpipe" || word == "zb-h1" || word == "dualpipe") && several)
            return {tr("This schedule has one chunk per stage."), tr("one chunk only")};
        if (word == "dualpipe" && facts.pipeline % 2 != 0) return {tr("DualPipe sends micro-batches in from both ends: the stages must be even in number."), tr("even stages only")};
        return {};
    }

    static NotApplicable module(const std::string& name, const PlanFacts& facts) {
        const bool latent = !facts.model || facts.model->latent.has_value();
        if (name == "mla_up_proj" && !latent) return {tr("The model has no latent attention."), tr("no latent attention")};
        if ((name == "moe" || name == "moe_act") && !facts.hasExperts()) return noExperts();
        if (name == "shared_experts" && facts.model && !(facts.model->experts && facts.model->experts->sharedFfn > 0))
            return {tr("The model has no shared experts."), tr("no shared experts")};
        return {};
    }
};

bool below(std::string_view& pointer, std::string_view prefix) {
    if (!pointer.starts_with(prefix)) return false;
    pointer.remove_prefix(prefix.size());
    return true;
}

} // namespace

NotApplicable whyFieldIsIdle(std::string_view pointer, const PlanFacts& facts) {
    if (below(pointer, "/parallelism/")) return FieldRules::parallelism(pointer, facts);
    if (below(pointer, "/workload/")) return FieldRules::workload(pointer, facts);
    if (below(pointer, "/execution/")) return FieldRules::execution(pointer, facts);
    return {};
}

NotApplicable whyChoiceIsIdle(std::string_view pointer, const Json& value, const PlanFacts& facts) {
    if (!value.is_string()) return {};
    if (pointer == "/parallelism/schedule") return FieldRules::schedule(value.get<std::string>(), facts);
    if (pointer == "/execution/recompute/modules") return FieldRules::module(value.get<std::string>(), facts);
    return {};
}

} // namespace orrery
