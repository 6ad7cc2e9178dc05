// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/filled_values.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/expert_dispatcher.hpp"
#include "core/scenario/scenario_words.hpp"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Null where the document has an object of its own.
template <class Enum> Json valueOf(Enum value) {
    const std::string_view text = wordOf(value);
    return fromText<Enum>(text) ? Json(std::string(text)) : Json(nullptr);
}

} // namespace

std::optional<Json> filledValue(const Scenario& scenario, std::string_view pointer) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    if (pointer == "/parallelism/data") return plan.data;
    if (pointer == "/parallelism/schedule") return valueOf(plan.schedule);
    if (pointer == "/parallelism/pipeline_layout" && !plan.layout.empty()) return Json(plan.layout);
    if (pointer == "/parallelism/virtual_pipeline") return plan.virtualPipeline;
    if (pointer == "/parallelism/context_method") return valueOf(plan.contextMethod);
    if (pointer == "/parallelism/shard_group" && plan.zeroStage > 0) return plan.sharders();
    if (scenario.isTraining() && pointer == "/workload/fp8_recipe" && scenario.training().fp8Recipe) return valueOf(*scenario.training().fp8Recipe);
    if (scenario.isTraining() && pointer == "/workload/lora_rank" && scenario.training().loraRank > 0) return scenario.training().loraRank;
    if (pointer == "/execution/framework" && !execution.profile.id.empty()) return execution.profile.id;
    if (pointer == "/execution/recompute") return valueOf(execution.recompute);
    if (pointer == "/execution/attention") return valueOf(execution.attention);
    if (pointer == "/execution/compile") return execution.compile;
    if (pointer == "/execution/cuda_graphs") {
        if (!execution.graphParts.empty()) return Json(nullptr);
        return execution.graphsHoldIteration ? valueOf(GraphsHeld::full_iteration) : Json(execution.cudaGraphs);
    }
    if (pointer == "/execution/moe_dispatcher" && scenario.model.experts) return valueOf(dispatcherOf(execution.profile.experts));
    if (pointer == "/execution/fused_experts" && scenario.model.experts) return !execution.profile.experts.loopsProducts;
    if (pointer == "/execution/overlap/data") return execution.overlap.data;
    if (pointer == "/execution/overlap/tensor") return execution.overlap.tensor;
    if (pointer == "/execution/overlap/pipeline") return execution.overlap.pipeline;
    if (pointer == "/execution/overlap/expert") return execution.overlap.expert;
    return std::nullopt;
}

namespace {

QString listed(const std::vector<Json>& values) {
    QStringList words;
    for (const Json& value : values) {
        QString word = QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
        if (value.is_number_float()) word = QString::number(value.get<double>(), 'g', 6);
        if (!words.contains(word)) words << word;
    }
    return words.join(u',');
}

QString numbersAround(const FieldSpec& spec, double present) {
    std::vector<Json> values;
    const bool whole = spec.kind == FieldKind::integer;
    if (!(present > 0)) return whole ? QStringLiteral("0,1,2,4") : QStringLiteral("0,0.25,0.5,0.75,1");
    if (spec.kind == FieldKind::data_rate) { // networks come in doublings
        for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) values.emplace_back(present * factor);
        return listed(values);
    }
    if (!whole) {
        for (const double factor : {0.5, 0.75, 1.0, 1.5, 2.0}) values.emplace_back(present * factor);
        return listed(values);
    }
    // Degrees and batches go by doublings: half and a quarter first, where they are whole.
    const auto number = static_cast<std::int64_t>(present);
    for (const std::int64_t part : {4, 2})
        if (number % part == 0) values.emplace_back(number / part);
    for (const std::int64_t times : {1, 2, 4}) values.emplace_back(number * times);
    if (number == 1) values.emplace_back(std::int64_t{8});
    return listed(values);
}

} // namespace

bool isSweepable(const FieldSpec& spec) {
    switch (spec.kind) {
    case FieldKind::integer:
    case FieldKind::number:
    case FieldKind::data_rate:
    case FieldKind::toggle:
    case FieldKind::pass:
    case FieldKind::choice:
    case FieldKind::framework:
    case FieldKind::accelerator: return spec.pointer != std::string_view("/workload/kind");
    case FieldKind::model:
    case FieldKind::platform:
    case FieldKind::integer_list:
    case FieldKind::number_list:
    case FieldKind::check_list:
    case FieldKind::text:
    case FieldKind::derived: break;
    }
    return false;
}

QString proposedValues(const FieldSpec& spec, const Json& present, const std::vector<Json>& choices) {
    constexpr std::size_t mostChoices = 6;
    if (spec.kind == FieldKind::toggle || spec.kind == FieldKind::pass) return QStringLiteral("false,true");
    if (spec.kind == FieldKind::integer || spec.kind == FieldKind::number || spec.kind == FieldKind::data_rate) return numbersAround(spec, present.is_number() ? present.get<double>() : 1);
    std::vector<Json> values;
    if (spec.kind == FieldKind::choice) {
        for (const FieldChoice& choice : spec.choices)
            if (!choice.value.is_object()) values.push_back(choice.value);
        return listed(values);
    }
    if (present.is_string()) values.push_back(present);
    for (const Json& choice : choices)
        if (values.size() < mostChoices && choice.is_string() && choice != present) values.push_back(choice);
    return listed(values);
}

} // namespace orrery
