// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/schedule_traits.hpp"

namespace orrery {
namespace {

std::optional<ShapeRefusal> unmetGroups(const ScheduleTraits& traits, const PipelineShape& shape) {
    if (shape.chunksPerStage == 1 || shape.microBatches % shape.stages == 0) return std::nullopt;
    const std::string stages = std::to_string(shape.stages);
    return ShapeRefusal{"The " + std::string(traits.title) + " schedule runs micro-batches in groups of " + stages + ", one per stage, and " +
                            std::to_string(shape.microBatches) + " do not make whole groups.",
                        "Use a multiple of " + stages + " micro-batches, or one chunk per stage."};
}

std::optional<ShapeRefusal> unmetEnds(const ScheduleTraits& traits, const PipelineShape& shape) {
    const std::string title(traits.title);
    const int least = 2 * shape.stages;
    if (shape.stages % 2 != 0)
        return ShapeRefusal{title + " sends micro-batches in from both ends and needs an even number of stages, not " + std::to_string(shape.stages) + ".",
                            "Use " + std::to_string(shape.stages + 1) + " stages, or ZB-V."};
    if (shape.microBatches % 2 != 0 || shape.microBatches < least)
        return ShapeRefusal{title + " needs an even number of micro-batches, at least two per stage (" + std::to_string(least) + "), not " +
                                std::to_string(shape.microBatches) + ".",
                            "Use " + std::to_string(shape.microBatches < least ? least : shape.microBatches + 1) + " micro-batches, or ZB-V."};
    return std::nullopt;
}

} // namespace

Placement placementOf(PipelineOrder order, const PipelineShape& shape) {
    const PlacementKind kind = traitsOf(order).placement;
    return {kind, shape.stages, kind == PlacementKind::loop ? shape.chunksPerStage : 2, shape.microBatches};
}

std::optional<ShapeRefusal> unmetNeed(const ScheduleTraits& traits, const PipelineShape& shape) {
    switch (traits.need) {
    case ShapeNeed::any: return std::nullopt;
    case ShapeNeed::whole_groups: return unmetGroups(traits, shape);
    case ShapeNeed::both_ends: return unmetEnds(traits, shape);
    }
    return std::nullopt;
}

int microBatchStep(const ScheduleTraits& traits, int stages) {
    switch (traits.need) {
    case ShapeNeed::any: return 1;
    case ShapeNeed::whole_groups:
    case ShapeNeed::both_ends: return 2 * stages;
    }
    return 1;
}

Repetition repetitionOf(const ScheduleTraits& traits, int stages, bool paired) {
    const SteadyPart& steady = traits.steady;
    return {steady.settledPerStage * stages + steady.settledMore + (paired ? steady.morePaired : 0), steady.period > 0 ? steady.period : stages};
}

} // namespace orrery
