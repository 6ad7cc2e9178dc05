// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/step_graph.hpp"

#include "core/base/index.hpp"
#include "core/order/schedule/step_table.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace orrery {
namespace {

class Flattener {
public:
    explicit Flattener(const PipelineSchedule& schedule) : schedule_(schedule), placement_(schedule.placement), table_(schedule) {}

    StepGraph run() {
        graph_.stages = placement_.stages;
        graph_.chunks = placement_.modelChunks();
        graph_.microBatchCount = placement_.microBatches;
        graph_.firstStage = placement_.stageOf(0, 0);
        graph_.lastStage = placement_.stageOf(graph_.chunks - 1, 0);
        graph_.mostInFlight = schedule_.mostInFlight;
        graph_.twoWay = placement_.kind == PlacementKind::two_way;
        hold();
        findEnds();
        collectWork();
        sortByDepth();
        makeRoom();
        for (const Work* work : sorted_) add(*work);
        linkStages();
        for (int stage = 0; stage < graph_.stages; ++stage) graph_.fullMoments.push_back(fullMoments(stage));
        return std::move(graph_);
    }

private:
    static constexpr std::size_t kinds = 4; ///< passes, the first four of PassKind

    struct Work {
        int stage = 0;
        int index = 0; ///< of its first step in the stage's list
        int count = 1;
        int depth = -1;
    };

    const PipelineStep& step(int stage, int index) const { return schedule_.stages[at(stage)][at(index)]; }
    int slotOf(const PipelineStep& pass) const { return placement_.slotOf(pass.chunk, pass.microBatch); }

    void hold() {
        graph_.held.assign(at(placement_.stages), std::vector<int>(at(placement_.chunksPerStage), 0));
        for (const int microBatch : {0, placement_.microBatches - 1})
            for (int chunk = 0; chunk < graph_.chunks; ++chunk)
                graph_.held[at(placement_.stageOf(chunk, microBatch))][at(placement_.slotOf(chunk, microBatch))] = chunk;
    }

    void findEnds() {
        firstForward_.assign(at(placement_.stages), std::vector<int>(at(placement_.chunksPerStage), -1));
        lastGradients_ = firstForward_;
        for (int stage = 0; stage < placement_.stages; ++stage)
            for (const PipelineStep& pass : schedule_.stages[at(stage)]) {
                int& first = firstForward_[at(stage)][at(slotOf(pass))];
                if (pass.kind == PassKind::forward && first < 0) first = pass.microBatch;
                if (endsGradients(pass.kind)) lastGradients_[at(stage)][at(slotOf(pass))] = pass.microBatch;
            }
    }

    void collectWork() {
        work_.resize(at(placement_.stages));
        workOf_.resize(at(placement_.stages));
        for (int stage = 0; stage < placement_.stages; ++stage) {
            const std::vector<PipelineStep>& steps = schedule_.stages[at(stage)];
            for (int index = 0; index < static_cast<int>(steps.size());) {
                const int count = unitLength(steps, index);
                for (int i = 0; i < count; ++i) workOf_[at(stage)].push_back(work_[at(stage)].size());
                work_[at(stage)].push_back({stage, index, count, -1});
                index += count;
            }
        }
    }

    /// The step on another stage that hands its result to this one; stage −1: none. What its own stage made lies before it.
    StepPlace awaited(int stage, int index) const {
        for (const PassInput& input : inputsOf(step(stage, index), placement_)) {
            const StepPlace& maker = table_.maker(input);
            if (maker.stage != stage) return maker;
        }
        return {};
    }

    const Work& workAt(const StepPlace& place) const { return work_[at(place.stage)][workOf_[at(place.stage)][at(place.index)]]; }

    /// By how much must come before: neighbours in the list then seldom wait for each other.
    void sortByDepth() {
        std::vector<std::size_t> done(work_.size(), 0);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t stage = 0; stage < done.size(); ++stage)
                for (; done[stage] < work_[stage].size(); ++done[stage], moved = true) {
                    Work& work = work_[stage][done[stage]];
                    int before = done[stage] == 0 ? -1 : work_[stage][done[stage] - 1].depth;
                    bool blocked = false;
                    for (int i = work.index; i < work.index + work.count; ++i) {
                        const StepPlace maker = awaited(work.stage, i);
                        if (maker.stage < 0) continue;
                        blocked = blocked || workAt(maker).depth < 0;
                        before = std::max(before, workAt(maker).depth);
                    }
                    if (blocked) break;
                    work.depth = before + 1;
                }
        }
        for (const std::vector<Work>& works : work_)
            for (const Work& work : works) {
                if (work.depth < 0) throw std::logic_error("a pipeline schedule waits in a circle");
                sorted_.push_back(&work);
            }
        std::stable_sort(sorted_.begin(), sorted_.end(), [](const Work* a, const Work* b) { return a->depth < b->depth; });
    }

    void makeRoom() {
        passes_.assign(at(placement_.stages) * at(placement_.chunksPerStage) * kinds, StepGraph::none);
        std::size_t steps = 0;
        for (const std::vector<PipelineStep>& own : schedule_.stages) {
            numbers_.emplace_back(own.size());
            steps += own.size();
        }
        graph_.steps.reserve(steps);
        graph_.microBatches.reserve(steps);
    }

    void add(const Work& work) {
        StepGraph::Step flat;
        WorkClass workClass;
        std::array<int, 2> microBatches{};
        workClass.stage = work.stage;
        for (int i = 0; i < work.count; ++i) {
            const PipelineStep& pass = step(work.stage, work.index + i);
            workClass.passes[at(i)] = passClass(pass, work.stage);
            microBatches[at(i)] = pass.microBatch;
            const StepPlace maker = awaited(work.stage, work.index + i);
            if (maker.stage >= 0) flat.awaits[at(i)] = numbers_[at(maker.stage)][at(maker.index)];
            numbers_[at(work.stage)][at(work.index + i)] = static_cast<std::uint32_t>(2 * graph_.steps.size()) + static_cast<std::uint32_t>(i);
            const int slot = slotOf(pass);
            if (pass.kind == PassKind::forward && firstForward_[at(work.stage)][at(slot)] == pass.microBatch) flat.forwardIsFirst = true;
            if (endsGradients(pass.kind) && lastGradients_[at(work.stage)][at(slot)] == pass.microBatch) flat.gradientsAreLast = true;
        }
        flat.work = numberOf(workClass);
        ++graph_.stepsOf[flat.work];
        graph_.hasPairs = graph_.hasPairs || workClass.isPair();
        graph_.steps.push_back(flat);
        graph_.microBatches.push_back(microBatches);
    }

    std::uint32_t numberOf(const WorkClass& work) {
        std::uint32_t& known = work.isPair() ? pairs_.try_emplace(work.passes, StepGraph::none).first->second : singles_[work.passes[0]];
        if (known != StepGraph::none) return known;
        graph_.works.push_back(work);
        graph_.stepsOf.push_back(0);
        return known = static_cast<std::uint32_t>(graph_.works.size()) - 1;
    }

    std::uint32_t passClass(const PipelineStep& pass, int stage) {
        graph_.splits = graph_.splits || pass.kind == PassKind::backward_weight;
        const int slot = slotOf(pass);
        std::uint32_t& known = passes_[(at(stage) * at(placement_.chunksPerStage) + at(slot)) * kinds + static_cast<std::size_t>(pass.kind)];
        if (known != StepGraph::none) return known;
        graph_.passes.push_back({pass.kind, pass.chunk, stage, slot, sendsTo(pass, stage)});
        singles_.push_back(StepGraph::none);
        return known = static_cast<std::uint32_t>(graph_.passes.size()) - 1;
    }

    int sendsTo(const PipelineStep& pass, int stage) const {
        if (pass.kind == PassKind::backward_weight) return -1;
        const int next = pass.kind == PassKind::forward ? pass.chunk + 1 : pass.chunk - 1;
        if (next < 0 || next >= graph_.chunks) return -1;
        const int target = placement_.stageOf(next, pass.microBatch);
        return target == stage ? -1 : target;
    }

    void linkStages() {
        graph_.nextStep.assign(graph_.steps.size(), StepGraph::none);
        graph_.firstStep.assign(at(graph_.stages), StepGraph::none);
        std::vector<std::uint32_t> last(at(graph_.stages), StepGraph::none);
        for (std::uint32_t i = 0; i < graph_.steps.size(); ++i) {
            const std::uint32_t work = graph_.steps[i].work;
            std::uint32_t& before = last[at(graph_.works[work].stage)];
            if (before == StepGraph::none) {
                graph_.firstStep[at(graph_.works[work].stage)] = i;
            } else {
                graph_.nextStep[before] = i;
                graph_.steps[before].nextWork = work;
            }
            before = i;
        }
    }

    /// Work of a stage, and what it finds there by slot.
    struct Moment {
        std::uint32_t work = 0;
        std::vector<int> inFlight, halfDone;

        bool covers(const Moment& other) const {
            const auto covers = [](const std::vector<int>& a, const std::vector<int>& b) {
                return std::equal(a.begin(), a.end(), b.begin(), [](int more, int less) { return more >= less; });
            };
            return work == other.work && covers(inFlight, other.inFlight) && covers(halfDone, other.halfDone);
        }
    };

    StepGraph::FullMoments fullMoments(int stage) const {
        std::vector<Moment> moments;
        Moment moment;
        moment.inFlight.assign(graph_.held[at(stage)].size(), 0);
        moment.halfDone = moment.inFlight;
        for (std::uint32_t step = graph_.firstStep[at(stage)]; step != StepGraph::none; step = graph_.nextStep[step]) {
            moment.work = graph_.steps[step].work;
            if (std::none_of(moments.begin(), moments.end(), [&](const Moment& known) { return known.covers(moment); })) {
                std::erase_if(moments, [&](const Moment& known) { return moment.covers(known); });
                moments.push_back(moment);
            }
            for (const std::uint32_t index : graph_.works[moment.work].passes) {
                if (index == WorkClass::none) continue;
                const PassClass& pass = graph_.passes[index];
                int &whole = moment.inFlight[at(pass.slot)], &half = moment.halfDone[at(pass.slot)];
                if (pass.kind == PassKind::forward) ++whole;
                if (pass.kind == PassKind::backward || pass.kind == PassKind::backward_input) --whole;
                if (pass.kind == PassKind::backward_input) ++half;
                if (pass.kind == PassKind::backward_weight) --half;
            }
        }
        StepGraph::FullMoments full;
        for (const Moment& one : moments) {
            full.works.push_back(one.work);
            full.inFlight.insert(full.inFlight.end(), one.inFlight.begin(), one.inFlight.end());
            full.halfDone.insert(full.halfDone.end(), one.halfDone.begin(), one.halfDone.end());
        }
        return full;
    }

    const PipelineSchedule& schedule_;
    const Placement& placement_;
    StepTable table_;
    StepGraph graph_;
    std::vector<std::vector<int>> firstForward_, lastGradients_; ///< micro-batches, by stage and slot
    std::vector<std::vector<Work>> work_;                        ///< by stage
    std::vector<std::vector<std::size_t>> workOf_;               ///< by stage and step
    std::vector<const Work*> sorted_;
    std::vector<std::uint32_t> passes_;  ///< classes, by stage, slot and kind
    std::vector<std::uint32_t> singles_; ///< works that are one pass, by its class
    std::map<std::array<std::uint32_t, 2>, std::uint32_t> pairs_;
    std::vector<std::vector<std::uint32_t>> numbers_; ///< of each step's result, by stage and index
};

} // namespace

StepGraph makeStepGraph(const PipelineSchedule& schedule) { return Flattener(schedule).run(); }

} // namespace orrery
