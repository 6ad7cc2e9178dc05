// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/workload.hpp"

#include "core/scenario/scenario.hpp"

namespace orrery {

const TrainingWorkload& trainingOf(const Workload& workload) {
    if (const auto* recorded = std::get_if<RecordedIteration>(&workload)) return recorded->counted;
    return std::get<TrainingWorkload>(workload);
}

TrainingWorkload& trainingOf(Workload& workload) {
    if (auto* recorded = std::get_if<RecordedIteration>(&workload)) return recorded->counted;
    return std::get<TrainingWorkload>(workload);
}

const RecordedWorkload* recordedOf(const Workload& workload) {
    const auto* recorded = std::get_if<RecordedIteration>(&workload);
    return recorded ? recorded->graph.get() : nullptr;
}

bool isTraining(const Workload& workload) {
    return std::holds_alternative<TrainingWorkload>(workload) || std::holds_alternative<RecordedIteration>(workload);
}

namespace {

struct PrecisionOf {
    Precision operator()(const TrainingWorkload& training) const { return training.precision; }
    Precision operator()(const RecordedIteration& recorded) const { return recorded.counted.precision; }
    Precision operator()(const InferenceWorkload& inference) const { return inference.precision; }
    Precision operator()(const ServingWorkload& serving) const { return serving.precision; }
    Precision operator()(const RlWorkload& loop) const { return loop.training.scenario->precision(); }
};

} // namespace

ImageLoad imagesOf(const Workload& workload) {
    if (const auto* training = std::get_if<TrainingWorkload>(&workload)) return training->images;
    if (const auto* batch = std::get_if<InferenceWorkload>(&workload)) return batch->images;
    if (const auto* serving = std::get_if<ServingWorkload>(&workload)) return serving->images;
    return {};
}

Precision precisionOf(const Workload& workload) { return std::visit(PrecisionOf{}, workload); }

} // namespace orrery
