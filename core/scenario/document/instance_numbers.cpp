// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/instance_numbers.hpp"

#include "core/base/json.hpp"
#include "core/scenario/pipeline_layout.hpp"

namespace orrery {

std::string InstanceNumbers::at(const FilledDocument& document, const std::string& key) const {
    const std::string own = pool + "/parallelism/" + key;
    return !pool.empty() && document.has(own) ? own : "/parallelism/" + key;
}

std::string InstanceNumbers::engineAt(const FilledDocument& document, const std::string& key) const {
    const std::string own = pool + "/engine/" + key;
    return !pool.empty() && document.has(own) ? own : "/workload/engine/" + key;
}

InstanceNumbers instanceNumbers(const FilledDocument& document, const std::string& pool, const std::optional<Architecture>& model) {
    InstanceNumbers numbers;
    numbers.pool = pool;
    const auto degree = [&](const char* key) -> std::int64_t { return document.integer(numbers.at(document, key), 1); };
    numbers.tensor = degree("tensor");
    numbers.pipeline = degree("pipeline");
    numbers.context = degree("context");
    numbers.expert = degree("expert");
    numbers.expertTensor = degree("expert_tensor");
    numbers.attentionData = degree("attention_data");
    numbers.expertSlots = document.integer(numbers.engineAt(document, "expert_slots"), 0);
    numbers.model = model;
    return numbers;
}

InstancePlan instancePlan(const FilledDocument& document, const InstanceNumbers& numbers) {
    InstancePlan plan;
    plan.tensor = static_cast<int>(numbers.tensor);
    plan.pipeline = static_cast<int>(numbers.pipeline);
    plan.context = static_cast<int>(numbers.context);
    plan.expert = static_cast<int>(numbers.expert);
    plan.expertTensor = static_cast<int>(numbers.expertTensor);
    plan.attentionData = static_cast<int>(numbers.attentionData);
    const Json* layout = document.find(numbers.at(document, "pipeline_layout"));
    // A pool that splits its layers over other stages than the scenario can't use the scenario's layout.
    if (layout && layout->size() == static_cast<std::size_t>(numbers.pipeline)) plan.layout = layout->get<std::vector<int>>();
    else if (numbers.model) plan.layout = defaultPipelineLayout(numbers.model->layers, numbers.pipeline).layers;
    return plan;
}

} // namespace orrery
