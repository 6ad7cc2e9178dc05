// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_rules.hpp"

#include "core/base/json.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/scenario_words.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/common/key_words.hpp"

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
        // The usual schedule gives way to another one as soon as there are several chunks.
        const auto order = fromText<PipelineOrder>(facts.schedule);
        if (key == "virtual_pipeline" && order && *order != usualOrder(1) && traitsOf(*order).chunks.perStage == 1)
            return {tr("The chosen schedule has one chunk per stage."), tr("one by schedule")};
        if (key == "pipeline_layout" && facts.pipeline == 1) return {tr("There is one pipeline stage: it holds every layer."), tr("one stage")};
        if (key == "context_method" && facts.context == 1) return {tr("There is one context rank: nobody to exchange with."), tr("one context rank")};
        if ((key == "expert" || key == "expert_tensor") && !facts.hasExperts()) return noExperts();
        if (key == "shard_group" && facts.zeroStage == 0)
            return {tr("A shard group shares out what ZeRO shards, and ZeRO shards nothing."), tr("ZeRO is off")};
        return {};
    }

    static NotApplicable requests(std::string_view key, const PlanFacts& facts) {
        if (key == "file") return {};
        if (!facts.requestsFile.empty()) return {tr("The requests are those of %1.").arg(QString::fromStdString(facts.requestsFile)), tr("of a file")};
        const bool closed = facts.arrival == "closed_loop";
        if (key == "arrival/rate_per_s" && (closed || facts.arrival == "all_at_once")) return {tr("Such arrivals have no rate."), tr("no rate")};
        if (key == "arrival/concurrency" && !closed) return {tr("Only a closed loop holds the number of requests under way."), tr("no closed loop")};
        return {};
    }

    static NotApplicable otherKind(const PlanFacts& facts) {
        return {tr("This means nothing for %1.").arg(keyWords(QString::fromStdString(facts.kind))), tr("of another kind")};
    }

    /// Why a value of another kind of workload is not offered; values with no brief word are not listed at all.
    static NotApplicable precision(const std::string& word, const PlanFacts& facts) {
        if (facts.kind == "training" && (word == "int8" || word == "int4" || word == "mxfp4")) return {tr("Nothing trains in this format."), {}};
        return {};
    }

    static NotApplicable workload(std::string_view key, const PlanFacts& facts) {
        if (key.starts_with("requests/")) return requests(key.substr(9), facts);
        const auto precision = fromText<Precision>(facts.precision);
        const bool eightBit = precision == Precision::fp8 || precision == Precision::mxfp8;
        if (key == "fp8_recipe" && !eightBit) return {tr("Products are in %1, which has no scales to choose.").arg(QString::fromStdString(facts.precision)), tr("not in fp8")};
        if (key == "fp8_recipe" && precision == Precision::mxfp8) return {tr("mxfp8 scales blocks of 32 elements; there is nothing to choose."), tr("blocks of 32")};
        if ((key == "lora_rank" || key == "lora_targets") && fromText<TaskKind>(facts.task) != TaskKind::lora) return {tr("All weights are trained: there are no adapters."), tr("no adapters")};
        return {};
    }

    static NotApplicable execution(std::string_view key, const PlanFacts& facts) {
        if ((key == "moe_dispatch" || key == "moe_dispatcher" || key == "fused_experts" || key == "expert_load" || key == "overlap/expert") && !facts.hasExperts()) return noExperts();
        if (key == "overlap/tensor" && facts.tensor == 1) return {tr("There is one tensor rank: no collectives to hide."), tr("one tensor rank")};
        if (key == "overlap/pipeline" && facts.pipeline == 1) return {tr("There is one pipeline stage: nothing is sent."), tr("one stage")};
        if (key == "overlap/expert" && facts.expert == 1) return {tr("Every rank holds all experts: no tokens are sent."), tr("one expert rank")};
        return {};
    }

    static NotApplicable schedule(const std::string& word, const PlanFacts& facts) {
        const auto order = fromText<PipelineOrder>(word);
        if (!order) return {};
        const ScheduleTraits& traits = traitsOf(*order);
        const int wanted = traits.chunks.perStage;
        const bool several = facts.chunksGiven && facts.chunks > 1;
        if (traits.withOneChunk != *order && !several) return {tr("Interleaving needs more than one chunk per stage."), tr("needs %1 chunks").arg(2)};
        if (wanted > 1 && facts.chunksGiven && facts.chunks != wanted)
            return {tr("%1 %2: each holds %3 chunks.").arg(coreWords(QString::fromUtf8(traits.title)), coreWords(QString::fromUtf8(traits.chunks.because))).arg(wanted), tr("needs %1 chunks").arg(wanted)};
        if (wanted == 1 && several) return {tr("This schedule has one chunk per stage."), tr("one chunk only")};
        switch (traits.need) {
        case ShapeNeed::any:
        case ShapeNeed::whole_groups: break; // the form does not know the micro-batches
        case ShapeNeed::both_ends:
            if (facts.pipeline % 2 != 0)
                return {tr("%1 sends micro-batches in from both ends: the stages must be even in number.").arg(coreWords(QString::fromUtf8(traits.title))), tr("even stages only")};
        }
        return {};
    }

    static NotApplicable module(const std::string& name, const PlanFacts& facts) {
        const bool latent = !facts.model || facts.model->latent.has_value();
        const auto module = fromText<RecomputeModule>(name);
        if (module == RecomputeModule::latent_up_projections && !latent) return {tr("The model has no latent attention."), tr("no latent attention")};
        if ((module == RecomputeModule::experts || module == RecomputeModule::expert_activation) && !facts.hasExperts()) return noExperts();
        if (module == RecomputeModule::shared_experts && facts.model && !(facts.model->experts && facts.model->experts->sharedFfn > 0))
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

NotApplicable whyKindIsOther(const PlanFacts& facts) { return FieldRules::otherKind(facts); }

NotApplicable whyChoiceIsIdle(std::string_view pointer, const Json& value, const PlanFacts& facts) {
    if (!value.is_string()) return {};
    if (pointer == "/workload/precision") return FieldRules::precision(value.get<std::string>(), facts);
    if (pointer == "/parallelism/schedule") return FieldRules::schedule(value.get<std::string>(), facts);
    if (pointer == "/execution/recompute/modules") return FieldRules::module(value.get<std::string>(), facts);
    return {};
}

} // namespace orrery
