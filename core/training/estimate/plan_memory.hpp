// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/training/estimate/grid_times.hpp"
#include "core/training/estimate/step_graph.hpp"
#include "core/training/stage_memory/fragmentation.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery {

/// A stage's steps without most of what they repeat: where the same steps follow each other again and again, each time with the next
/// micro-batches, and end as many as they begin, a few times stand for all. Each step of those left out finds the stage in the state in which one
/// that is kept finds it, so both have the same peaks of memory. Micro-batches are numbered anew.
std::vector<PipelineStep> settledOrder(const std::vector<PipelineStep>& steps);

/// Memory of one stage at its peak, bytes.
struct StageEstimate {
    double allocated = 0; ///< as PyTorch counts
    double reserved = 0;
    double device = 0; ///< what the device reports
};

/// Memory of plans on one grid of ranks.
///
/// Where nothing but tensors of passes comes and goes, the peak follows from how many micro-batches are in flight. Sharded
/// weights, offloading, kept outputs and pairs that run together have buffers of their own: there the stage's order of work is
/// gone through once, as the event simulation does, and the peak kept. The allocator is run once for each composition of a stage.
class PlanMemory {
public:
    explicit PlanMemory(GridTimes& grid) : grid_(grid) {}

    /// The stages' memory by the grid's choice. `played`: a schedule of the plan with as many micro-batches as fill the pipeline; `more` stay in flight
    /// beyond those.
    std::vector<StageEstimate> stages(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more);
    /// What PyTorch counts alone, bytes by stage: the allocator is not run.
    std::vector<double> allocated(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more);
    /// What the device of the fullest stage needs at least, bytes: states and what passes keep, without any buffer and without holes.
    double least(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more);

private:
    /// Operators of all stages; made where one stage's composition is not known yet, and shared with the others.
    struct StagesWork {
        StagesWork(GridTimes& grid, int microBatches);
        StagesWork(const StagesWork&) = delete; // `chunks` refers to `work`
        StagesWork& operator=(const StagesWork&) = delete;
        std::shared_ptr<SharedWork> work;
        ModelChunks chunks;
    };
    /// What the choice adds to the table of pieces.
    using Sharing = std::tuple<const PieceTable*, int, double, double, double>;
    /// Found out for one of these, bytes.
    struct Known {
        std::map<std::tuple<std::vector<int>, const StepGraph*, int>, std::vector<double>> buffered; ///< by layout, schedule and micro-batches: peaks by stage
        HolesOfPieces free;                                                                          ///< where other buffers are there too; two more micro-batches where others follow
        /// Bytes of a device that is nearly full, by layout, schedule, stage and the bytes it has left.
        std::map<std::tuple<std::vector<int>, const StepGraph*, int, double>, double> limited;
    };

    Sharing sharing(const PieceTable& table) const;
    bool hasBuffers(const StepGraph& played) const;
    HolesOfPieces& holesOf(Known& known, const StepGraph& played);
    /// What tensors of passes take at their peak, bytes by stage. Plans one after the other mostly differ in what is none of it.
    const std::vector<double>& tensorPeaks(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more);
    /// The most that micro-batches in flight keep, with what work needs on top of them (by the pass that it is), bytes.
    template <typename OnTop> static double mostHeld(const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage, int more, OnTop onTop);
    std::vector<double> leastTensors(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int more);
    const std::vector<double>& bufferedPeaks(Known& known, const StepGraph& played, int more);
    double fragmentation(Known& known, HolesOfPieces& holes, std::optional<StagesWork>& work, const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage, double room);
    /// Bytes of states that an element takes, by the grid's choice.
    struct ElementBytes {
        std::array<double, 4> trained{}; ///< as PieceNumbers::stateElements
        std::array<double, 2> frozen{};  ///< of the embedding and the head, and of layers
        double quantisedDense = 0, quantisedExperts = 0;
    };
    ElementBytes elementBytes() const;
    static double states(const ElementBytes& each, const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage);
    double standIns(const PieceTable& table, const std::vector<ChunkWork>& chunks, const StepGraph& played, int stage) const;

    GridTimes& grid_;
    std::map<Sharing, Known> known_;
    /// The tensors' peaks that were asked for last, and what they are of.
    struct TensorPeaks {
        std::tuple<const PieceTable*, const StepGraph*, int> of;
        std::vector<int> layout;
        std::vector<double> bytes;
    };
    TensorPeaks tensors_;
    HolesOfPieces::key_type composition_; ///< working memory
};

} // namespace orrery
