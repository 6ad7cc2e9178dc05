// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/rl_fields.hpp"

#include <QCoreApplication>

#include <iterator>
#include <utility>

namespace orrery {
namespace {

struct RlFields {
    Q_DECLARE_TR_FUNCTIONS(RlFields)

public:
    static std::vector<FieldSpec> rows() {
        std::vector<FieldSpec> rows = loop();
        for (auto&& part : {rollout(), training()}) rows.insert(rows.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
        for (FieldSpec& row : rows) {
            row.section = FieldSection::workload;
            row.kinds = inRl;
        }
        return rows;
    }

private:
    static FieldSpec field(FieldKind kind, const char* pointer, const QString& label, const QString& unit, const QString& tooltip, FieldStep step = FieldStep::none, Json byDefault = nullptr) {
        FieldSpec spec{.section = FieldSection::workload, .kind = kind, .pointer = pointer};
        spec.label = label;
        spec.unit = unit;
        spec.tooltip = tooltip;
        spec.step = step;
        spec.contractDefault = std::move(byDefault);
        return spec;
    }

    static std::vector<FieldSpec> loop() {
        return {
            field(FieldKind::integer, "/workload/staleness", tr("Staleness"), tr("steps"), tr("Steps by which the weights of an answer may lag behind those that it trains; 0: rollout and training take turns."), FieldStep::one, 0),
            field(FieldKind::number, "/workload/reward_s", tr("Rewards"), tr("s"), tr("Time from a step's last answer until all answers are judged."), FieldStep::none, 0),
            field(FieldKind::toggle, "/workload/offload_training", tr("Park the trainer"), {}, tr("On the same accelerators: the trainer's states lie in host memory while engines answer."), FieldStep::none, false),
        };
    }

    static std::vector<FieldSpec> rollout() {
        return {
            field(FieldKind::integer, "/workload/rollout/hosts", tr("Rollout hosts"), {}, tr("Hosts of the engines, next in file order; where neither half has hosts, both take turns on all."), FieldStep::one),
            field(FieldKind::integer, "/workload/rollout/parallelism/tensor", tr("Rollout tensor"), {}, tr("Tensor ranks of an engine instance."), FieldStep::doubling, 1),
            field(FieldKind::integer, "/workload/rollout/requests/count", tr("Answers"), tr("a step"), tr("Answers of a step: prompts times answers to each."), FieldStep::doubling),
            field(FieldKind::integer, "/workload/rollout/requests/input_tokens", tr("Prompt"), tr("tokens"), tr("Tokens of each prompt."), FieldStep::doubling),
            field(FieldKind::integer, "/workload/rollout/engine/max_num_seqs", tr("At a time"), tr("requests"), tr("Most requests of one step in an instance (max_num_seqs)."), FieldStep::doubling),
            field(FieldKind::number, "/workload/rollout/engine/gpu_memory_utilization", tr("Memory taken"), tr("share"), tr("Share of the memory that the engine takes, 0 to 1.")),
        };
    }

    static std::vector<FieldSpec> training() {
        return {
            field(FieldKind::integer, "/workload/training/hosts", tr("Training hosts"), {}, tr("Hosts of the trainer, next in file order."), FieldStep::one),
            field(FieldKind::integer, "/workload/training/sequence_length", tr("Sequence"), tr("tokens"), tr("Tokens of a trained sequence: prompt and answer, padded or packed."), FieldStep::doubling),
            field(FieldKind::integer, "/workload/training/global_batch_size", tr("Global batch"), tr("sequences"), tr("Answers of one iteration; a step trains on all of its answers."), FieldStep::doubling),
            field(FieldKind::integer, "/workload/training/micro_batch_size", tr("Micro-batch"), tr("sequences"), tr("Sequences that a rank works on at a time."), FieldStep::doubling),
        };
    }
};

} // namespace

std::vector<FieldSpec> rlFields() { return RlFields::rows(); }

} // namespace orrery
