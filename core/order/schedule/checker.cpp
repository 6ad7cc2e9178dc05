// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/checker.hpp"
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

// Whether in-order streams get to their ends. A step once runnable stays so, hence any order of trying finds the same end.

namespace {

class StreamRunner {
public:
    StreamRunner(const PipelineSchedule& schedule, const StepTable& table, const TransferTable& transfers, SendMode mode)
        : schedule_(schedule), table_(table), transfers_(transfers), mode_(mode), done_(schedule.stages.size(), 0),
          posted_(schedule.stages.size(), 0) {}

    void run() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t stage = 0; stage < done_.size(); ++stage)
                while (advance(stage)) moved = true;
        }
    }

    void reportStuck(std::vector<ScheduleFault>& faults) const {
        for (std::size_t stage = 0; stage < done_.size(); ++stage) {
            if (done_[stage] == static_cast<int>(schedule_.stages[stage].size())) continue;
            const int end = done_[stage] + unitLength(schedule_.stages[stage], done_[stage]);
            for (int index = done_[stage]; index < end; ++index) {
                const StepPlace place{static_cast<int>(stage), index};
                const auto awaited = awaits(place);
                if (!awaited) continue;
                faults.push_back(faultAt(ScheduleFaultKind::deadlock, schedule_, place,
                                         "it waits for ever for " + withArticle(step(*awaited)) + ", " + toText(*awaited) + "."));
            }
        }
    }

private:
    const PipelineStep& step(StepPlace place) const {
        return schedule_.stages[static_cast<std::size_t>(place.stage)][static_cast<std::size_t>(place.index)];
    }
    bool isDone(StepPlace place) const { return place.index < done_[static_cast<std::size_t>(place.stage)]; }
    bool isPosted(StepPlace place) const { return place.index < posted_[static_cast<std::size_t>(place.stage)]; }

    /// What keeps a step that is next on its stage from ending, if anything.
    std::optional<StepPlace> awaits(StepPlace place) const {
        const PipelineStep& next = step(place);
        if (isCommunication(next.kind)) {
            const TransferPlaces& both = transfers_.at({handsGradients(next.kind), next.chunk, next.microBatch});
            const StepPlace other = isSend(next.kind) ? both.receive : both.send;
            const bool waits = !isSend(next.kind) || mode_ == SendMode::rendezvous;
            if (waits && !isPosted(other)) return other;
            return std::nullopt;
        }
        for (const PassInput& input : inputsOf(next, schedule_.placement))
            if (const StepPlace maker = table_.maker(input); !isDone(maker)) return maker;
        return std::nullopt;
    }

    bool advance(std::size_t stage) {
        const auto& steps = schedule_.stages[stage];
        if (done_[stage] == static_cast<int>(steps.size())) return false;
        const int end = done_[stage] + unitLength(steps, done_[stage]);
        const bool posts = posted_[stage] < end;
        if (posts && isCommunication(steps[static_cast<std::size_t>(done_[stage])].kind)) {
            posted_[stage] = end;
            return true;
        }
        for (int index = done_[stage]; index < end; ++index)
            if (awaits({static_cast<int>(stage), index})) return false;
        posted_[stage] = end;
        done_[stage] = end;
        return true;
    }

    const PipelineSchedule& schedule_;
    const StepTable& table_;
    const TransferTable& transfers_;
    SendMode mode_;
    std::vector<int> done_;   ///< by stage: steps that have ended
    std::vector<int> posted_; ///< by stage: steps that have ended, and the communication group it is in
};

} // namespace

void checkDeadlocks(const PipelineSchedule& schedule, const StepTable& table, const TransferTable& transfers, SendMode mode,
                    std::vector<ScheduleFault>& faults) {
    StreamRunner runner(schedule, table, transfers, mode);
    runner.run();
    runner.reportStuck(faults);
}

// Whether every result another stage needs is sent once and received once, in time.

namespace {

/// A result that crosses from the stage that makes it to the one that needs it.
struct Crossing {
    StepPlace maker;
    StepPlace user;
};

std::optional<Crossing> crossingOf(const PipelineStep& transfer, const PipelineSchedule& schedule, const StepTable& table) {
    const bool gradients = handsGradients(transfer.kind);
    const int next = transfer.chunk + (gradients ? -1 : 1);
    if (next < 0 || next == schedule.placement.modelChunks()) return std::nullopt;
    const PassResult result = gradients ? PassResult::gradient : PassResult::activations;
    const StepPlace maker = table.maker({result, transfer.chunk, transfer.microBatch});
    const StepPlace user = table.maker({result, next, transfer.microBatch});
    if (maker.stage == user.stage) return std::nullopt;
    return Crossing{maker, user};
}

void checkTransfer(const PipelineSchedule& schedule, const StepTable& table, StepPlace place, TransferTable& transfers,
                   std::vector<ScheduleFault>& faults) {
    const PipelineStep& step = schedule.stages[static_cast<std::size_t>(place.stage)][static_cast<std::size_t>(place.index)];
    const auto report = [&](ScheduleFaultKind kind, const std::string& message) {
        faults.push_back(faultAt(kind, schedule, place, message));
    };
    const auto crossing = crossingOf(step, schedule, table);
    if (!crossing) return report(ScheduleFaultKind::stray_transfer, "no other stage needs this.");
    const int stage = isSend(step.kind) ? crossing->maker.stage : crossing->user.stage;
    if (stage != place.stage)
        return report(ScheduleFaultKind::wrong_stage, std::string("stage ") + std::to_string(stage) +
                                                          (isSend(step.kind) ? " has this to send." : " needs this."));
    TransferPlaces& both = transfers[{handsGradients(step.kind), step.chunk, step.microBatch}];
    StepPlace& mine = isSend(step.kind) ? both.send : both.receive;
    if (mine.stage >= 0) return report(ScheduleFaultKind::repeated, "this is done already by " + toText(mine) + ".");
    mine = place;
    if (isSend(step.kind) && place.index < crossing->maker.index)
        report(ScheduleFaultKind::wrong_order, "what it sends is made later, in step " + std::to_string(crossing->maker.index) + ".");
    if (!isSend(step.kind) && place.index > crossing->user.index)
        report(ScheduleFaultKind::wrong_order, "what it receives is used before, in step " + std::to_string(crossing->user.index) + ".");
}

void reportMissing(const PipelineSchedule& schedule, const Crossing& crossing, const PipelineStep& transfer,
                   std::vector<ScheduleFault>& faults) {
    const StepPlace at = isSend(transfer.kind) ? crossing.maker : crossing.user;
    faults.push_back(faultAt(ScheduleFaultKind::missing, schedule, at, toText(transfer) + " is missing."));
}

} // namespace

bool handsGradients(PassKind communication) {
    return communication == PassKind::send_gradients || communication == PassKind::receive_gradients;
}

void checkTransfers(const PipelineSchedule& schedule, const StepTable& table, TransferTable& transfers,
                    std::vector<ScheduleFault>& faults) {
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
        for (std::size_t index = 0; index < schedule.stages[stage].size(); ++index)
            if (isCommunication(schedule.stages[stage][index].kind))
                checkTransfer(schedule, table, {static_cast<int>(stage), static_cast<int>(index)}, transfers, faults);

    for (const bool gradients : {false, true}) {
        for (int chunk = 0; chunk < schedule.placement.modelChunks(); ++chunk) {
            for (int microBatch = 0; microBatch < schedule.placement.microBatches; ++microBatch) {
                PipelineStep transfer{gradients ? PassKind::send_gradients : PassKind::send_activations, false,
                                      static_cast<std::int16_t>(chunk), microBatch};
                const auto crossing = crossingOf(transfer, schedule, table);
                if (!crossing) continue;
                const TransferPlaces found = transfers[{gradients, chunk, microBatch}];
                if (found.send.stage < 0) reportMissing(schedule, *crossing, transfer, faults);
                transfer.kind = gradients ? PassKind::receive_gradients : PassKind::receive_activations;
                if (found.receive.stage < 0) reportMissing(schedule, *crossing, transfer, faults);
            }
        }
    }
}

} // namespace orrery
