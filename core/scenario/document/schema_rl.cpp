// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/schema_shapes.hpp"

#include <utility>

// `workload` of the contract for reinforcement learning: a workload of engines and one of training, and what joins them.

namespace orrery::schema {
namespace {

Field hostsField() {
    return field("hosts", choice({integer(1, mostRanks), list(text(), 1)}),
                 "How many hosts, next in file order, or ids of drawn ones; where neither half says it, both take turns on all of them.");
}

/// A workload whose own scenario may say more than the workload.
Shape halfShape(std::vector<Variant> variants, std::vector<Field> more) {
    Shape shape = object({required("kind", word([&variants] {
                                       std::vector<std::string> words;
                                       for (const Variant& one : variants) words.push_back(one.word);
                                       return words;
                                   }()),
                                   "What runs."),
                          hostsField()});
    for (Field& one : more) shape.fields.push_back(std::move(one));
    shape.variants = std::move(variants);
    return shape;
}

} // namespace

std::vector<Field> rlFields() {
    return {
        required("rollout",
                 halfShape({{keyFor(WorkloadKind::inference), "One static batch a step.", inferenceFields()},
                            {keyFor(WorkloadKind::serving), "A step's prompts as requests.", servingFields()}},
                           {field("parallelism", parallelismShape(), "How an engine instance is split."),
                            field("execution", executionShape(), "How engines run; a serving profile's defaults unless given.")}),
                 "The engines that answer a step's prompts."),
        required("training", halfShape({{keyFor(WorkloadKind::training), "Iterations on a step's answers.", trainingFields()}}, {}),
                 "The trainer; `parallelism` and `execution` of the scenario are its own."),
        field("reward_s", number(0, 1e9), "Seconds from a step's last answer until all answers are judged.", 0),
        field("staleness", integer(0, 1e6), "Steps by which the weights of an answer may lag behind those that it trains; 0: rollout and training take turns.", 0),
        field("sync", object({field("precision", word(precisionWords(PrecisionUse::inference)), "Number format in which new weights go to the engines.", wordOf(Precision::bf16))}),
              "How new weights come to the engines."),
        field("offload_training", boolean(), "Colocated: the trainer's states lie in host memory while engines answer.", false),
    };
}

} // namespace orrery::schema
