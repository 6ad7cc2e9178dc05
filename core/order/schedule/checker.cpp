// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/checker.hpp"

#include "core/order/schedule/checker_parts.hpp"
#include "core/order/schedule/in_flight.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// A fault of the whole schedule, or of a whole stage.
void addFault(std::vector<ScheduleFault>& faults, ScheduleFaultKind kind, const std::string& message, int stage = -1) {
    ScheduleFault& fault = faults.emplace_back();
    fault.kind = kind;
    fault.stage = stage;
    fault.message = message;
}

class PassChecker {
public:
    PassChecker(const PipelineSchedule& schedule, std::vector<ScheduleFault>& faults) : schedule_(schedule), faults_(faults) {}

    bool shapeFits() {
        const Placement& placement = schedule_.placement;
        const bool twoHeld = placement.kind == PlacementKind::loop || placement.chunksPerStage == 2;
        if (placement.stages < 1 || placement.microBatches < 1 || placement.chunksPerStage < 1 || !twoHeld)
            return refuse("The placement has no stage, micro-batch or chunk, or other than two chunks a stage where stages hold two.");
        if (schedule_.stages.size() != static_cast<std::size_t>(placement.stages))
            return refuse("There are " + std::to_string(schedule_.stages.size()) + " lists of steps for " + std::to_string(placement.stages) +
                          " stages.");
        if (schedule_.mostInFlight.size() != schedule_.stages.size())
            return refuse("There are " + std::to_string(schedule_.mostInFlight.size()) + " claims of activations in flight for " +
                          std::to_string(placement.stages) + " stages.");
        return true;
    }

    void checkPlaces() {
        forEachStep([&](StepPlace place, const PipelineStep& step) {
            const Placement& placement = schedule_.placement;
            if (step.chunk < 0 || step.chunk >= placement.modelChunks())
                return report(ScheduleFaultKind::out_of_range, place,
                              "the model has " + std::to_string(placement.modelChunks()) + " chunks, numbered from 0.");
            if (step.microBatch < 0 || step.microBatch >= placement.microBatches)
                return report(ScheduleFaultKind::out_of_range, place,
                              "there are " + std::to_string(placement.microBatches) + " micro-batches, numbered from 0.");
            const int holder = placement.stageOf(step.chunk, step.microBatch);
            if (!isCommunication(step.kind) && holder != place.stage)
                report(ScheduleFaultKind::wrong_stage, place, "stage " + std::to_string(holder) + " holds this chunk.");
        });
    }

    void checkOnceEach(const StepTable& table) {
        forEachStep([&](StepPlace place, const PipelineStep& step) {
            if (isCommunication(step.kind)) return;
            if (const auto first = twin(table, place, step))
                report(ScheduleFaultKind::repeated, place, "this is done already by " + toText(*first) + ".");
        });
        for (int chunk = 0; chunk < schedule_.placement.modelChunks(); ++chunk) {
            for (int microBatch = 0; microBatch < schedule_.placement.microBatches; ++microBatch) {
                reportMissing(table, {PassResult::activations, chunk, microBatch}, PassKind::forward);
                if (reportMissing(table, {PassResult::gradient, chunk, microBatch}, PassKind::backward_input)) continue;
                reportMissing(table, {PassResult::weight_gradient, chunk, microBatch}, PassKind::backward_weight);
            }
        }
    }

    void checkLocalOrder(const StepTable& table) {
        forEachStep([&](StepPlace place, const PipelineStep& step) {
            const bool second = place.index > 0 && at({place.stage, place.index - 1}).withNext;
            for (const PassInput& input : inputsOf(step, schedule_.placement)) {
                const StepPlace maker = table.maker(input);
                if (maker.stage != place.stage) continue;
                if (maker.index > place.index)
                    report(ScheduleFaultKind::wrong_order, place, "it needs " + withArticle(at(maker)) + ", which comes later, in step " + std::to_string(maker.index) + ".");
                else if (second && maker.index == place.index - 1)
                    report(ScheduleFaultKind::broken_pair, place, "it needs the step it is to run together with.");
            }
        });
    }

    void checkPairs() {
        forEachStep([&](StepPlace place, const PipelineStep& step) {
            if (!step.withNext) return;
            if (place.index + 1 == static_cast<int>(schedule_.stages[static_cast<std::size_t>(place.stage)].size()))
                return report(ScheduleFaultKind::broken_pair, place, "it is to run together with the next step, and is the last.");
            const PipelineStep& next = at({place.stage, place.index + 1});
            if (step.kind != PassKind::forward || next.kind != PassKind::backward || next.withNext)
                report(ScheduleFaultKind::broken_pair, place,
                       "only a forward and the whole backward after it run together, and the next step is " + withArticle(next) + ".");
        });
    }

    void checkMemory() {
        for (std::size_t stage = 0; stage < schedule_.stages.size(); ++stage) {
            const std::vector<int> held = activationsInFlight(schedule_.stages[stage]);
            const int claimed = schedule_.mostInFlight[stage];
            const auto over = std::find_if(held.begin(), held.end(), [&](int now) { return now > claimed; });
            if (over == held.end()) continue;
            const StepPlace place{static_cast<int>(stage), static_cast<int>(over - held.begin())};
            report(ScheduleFaultKind::over_memory, place, "the stage now holds the activations of " + std::to_string(*over) + " forwards, and at most " + std::to_string(claimed) + " are claimed.");
        }
    }

private:
    const PipelineStep& at(StepPlace place) const {
        return schedule_.stages[static_cast<std::size_t>(place.stage)][static_cast<std::size_t>(place.index)];
    }

    template <class Visit> void forEachStep(Visit visit) {
        for (std::size_t stage = 0; stage < schedule_.stages.size(); ++stage)
            for (std::size_t index = 0; index < schedule_.stages[stage].size(); ++index)
                visit(StepPlace{static_cast<int>(stage), static_cast<int>(index)}, schedule_.stages[stage][index]);
    }

    void report(ScheduleFaultKind kind, StepPlace place, const std::string& message) {
        faults_.push_back(faultAt(kind, schedule_, place, message));
    }

    bool refuse(const std::string& message) {
        addFault(faults_, ScheduleFaultKind::wrong_shape, message);
        return false;
    }

    /// The earlier step that already leaves one of this pass's results.
    static std::optional<StepPlace> twin(const StepTable& table, StepPlace place, const PipelineStep& step) {
        const auto firstOf = [&](PassResult result) -> std::optional<StepPlace> {
            const StepPlace first = table.maker({result, step.chunk, step.microBatch});
            if (first.stage == place.stage && first.index == place.index) return std::nullopt;
            return first;
        };
        if (step.kind == PassKind::forward) return firstOf(PassResult::activations);
        if (step.kind == PassKind::backward_weight) return firstOf(PassResult::weight_gradient);
        if (const auto first = firstOf(PassResult::gradient)) return first;
        return step.kind == PassKind::backward ? firstOf(PassResult::weight_gradient) : std::nullopt;
    }

    bool reportMissing(const StepTable& table, const PassInput& result, PassKind kind) {
        if (table.maker(result).stage >= 0) return false;
        const int stage = schedule_.placement.stageOf(result.chunk, result.microBatch);
        const PipelineStep step{kind, false, static_cast<std::int16_t>(result.chunk), result.microBatch};
        addFault(faults_, ScheduleFaultKind::missing,
                 "Stage " + std::to_string(stage) + ": " + withArticle(step) + " is missing" +
                     (kind == PassKind::backward_input ? ", alone or as part of a whole backward." : "."),
                 stage);
        return true;
    }

    const PipelineSchedule& schedule_;
    std::vector<ScheduleFault>& faults_;
};

bool anyCommunication(const PipelineSchedule& schedule) {
    for (const auto& steps : schedule.stages)
        if (std::any_of(steps.begin(), steps.end(), [](const PipelineStep& step) { return isCommunication(step.kind); })) return true;
    return false;
}

} // namespace

std::string toText(StepPlace place) { return "step " + std::to_string(place.index) + " of stage " + std::to_string(place.stage); }

ScheduleFault faultAt(ScheduleFaultKind kind, const PipelineSchedule& schedule, StepPlace place, const std::string& message) {
    const PipelineStep& step = schedule.stages[static_cast<std::size_t>(place.stage)][static_cast<std::size_t>(place.index)];
    return {kind, place.stage, place.index,
            "Stage " + std::to_string(place.stage) + ", step " + std::to_string(place.index) + " (" + toText(step) + "): " + message};
}

std::vector<ScheduleFault> checkSchedule(const PipelineSchedule& schedule, SendMode mode) {
    std::vector<ScheduleFault> faults;
    PassChecker passes(schedule, faults);
    if (!passes.shapeFits()) return faults;
    const bool communication = anyCommunication(schedule);
    if (mode == SendMode::rendezvous && !communication && schedule.placement.stages > 1) {
        addFault(faults, ScheduleFaultKind::wrong_shape, "The schedule has no communication steps that sends could block in.");
        return faults;
    }
    passes.checkPlaces();
    if (!faults.empty()) return faults;
    const StepTable table(schedule);
    passes.checkOnceEach(table);
    passes.checkPairs();
    passes.checkLocalOrder(table);
    TransferTable transfers;
    if (faults.empty() && communication) checkTransfers(schedule, table, transfers, faults);
    if (faults.empty()) checkDeadlocks(schedule, table, transfers, mode, faults);
    passes.checkMemory();
    return faults;
}

} // namespace orrery
