// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/estimate/coupled.hpp"
#include "core/training/estimate/grid_times.hpp"
#include "core/training/estimate/piece_table.hpp"
#include "core/training/estimate/step_graph.hpp"
#include "core/training/segments/segment_placement.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace orrery {

inline constexpr double rounding = 1e-12; ///< times this close, relatively, are one

/// When a stage was through with its part of the schedule, s.
struct StageEnd {
    double compute = 0; ///< of its last unit
    double data = 0;    ///< from when on its data-parallel group is free
    double reduced = 0; ///< all gradients are; 0: none were sent
};

/// What a stage's slowest accelerators make of its passes: their times where kernels are so slow, and what jitter multiplies them by.
struct StagePace {
    const PieceTable* table = nullptr;
    const std::vector<ChunkWork>* chunks = nullptr;
    double stretch = 1;
};

/// Runs schedules by recurrence: work begins when its stage is free and its input has arrived. A stage has three streams: computation,
/// transfers to other stages, and collectives of its data-parallel group. Where a collective or transfer meets the data-parallel
/// group's on a link, both take longer as long as both are under way. Keeps its working memory.
class PipelinePlayer {
public:
    /// Plays the schedule of the grid's choice, with the stages' paces.
    void play(GridTimes& grid, const StepGraph& graph, const std::vector<StagePace>& paces);

    const std::vector<StageEnd>& ends() const { return ends_; }
    /// When a stage begins, s.
    double start(int stage) const;
    /// Least time a stage needs for a micro-batch more, s; 0 where it is not known.
    double busy(int stage) const;

private:
    struct Stage {
        double compute = 0; ///< stream is free
        double send = 0;
        double data = 0;
        double onLinks = 1;  ///< share of what the data-parallel group has to do that is traffic, as of the last that it was given
        double gathered = 0; ///< weights of the next unit are there
        double previous = 0; ///< end of the last unit
        double toHost = 0, fromHost = 0;
        double copied = 0; ///< what the next unit needs has come from the host
        double reduced = 0;
        double gatherDelay = 0; ///< of the gathers before the first forward
        HeldWeights bucket;     ///< whose gradients are not sent yet
    };
    /// By how much a unit lasts longer beside other traffic, see `slowed`.
    struct Slowing {
        double factor = 1;
        double gain = 0; ///< 1 − 1/factor
        double lasts(double alone, double beside) const { return beside > 0 ? alone + std::min(beside, alone * factor) * gain : alone; }
    };
    static Slowing slowingBy(double factor) { return {factor, 1 - 1 / factor}; }
    /// Equal units in a row; the second piece is what runs together with the first, or −1.
    struct UnitRun {
        std::array<int, 2> pieces{-1, -1};
        int count = 0;
        // Set where the data-parallel group gathers or scatters at every unit:
        bool meets = false;             ///< its traffic, on links
        double alone = 0;               ///< s of one unit
        double gather = 0;              ///< s, of its weights
        std::array<double, 2> reduce{}; ///< s, of its gradients, by piece
        double gatherOnLinks = 1;       ///< share of this that is traffic
        std::array<double, 2> reduceOnLinks{1, 1};
        double share = 1; ///< of the unit, what communication slows
        Slowing byCollective, bySend;
    };
    struct PieceTransfers {
        bool isKnown = false;
        ExchangeTime gather, reduce;
    };
    struct WorkTimes {
        double total = 0;
        double besideSend = 1; ///< how many times as long it takes while a result is sent on
        double share = 1;      ///< of `total`, what communication slows
        double send = 0;       ///< s the result is under way; of pairs see sendTimes_
        std::uint32_t stage = 0;
        bool sends = false;
        bool isSingle = false;                    ///< no pair
        bool endsGradients = false;               ///< one of its passes does
        bool simple = false;                      ///< one pass, in which the data-parallel group has nothing to do but at first and last
        std::array<double, 2> ends{};             ///< of each pass, after the start
        std::uint32_t firstRun = 0, runCount = 0; ///< in runs_
    };

    /// What work did when it was played last by units, all times after its start. Once the pipeline repeats itself, so does this.
    struct Remembered {
        std::uint32_t next = notSet; ///< work that follows it on its stage, or StepGraph::none
        bool reduces = false;
        double data = 0, gathered = 0; ///< before: from when on more can be sent, weights are there
        double onLinks = 1;            ///< likewise, see Stage
        double send = 0;               ///< until when a result is sent on
        double computeAfter = 0, previousAfter = 0, dataAfter = 0, onLinksAfter = 1, gatheredAfter = 0, reducedAfter = 0;
        std::array<double, 2> ends{};
        static constexpr std::uint32_t notSet = StepGraph::none - 1;
    };

    double endBeside(const Stage& state, double begin, const PassTime& time) const;
    /// How many times as long work takes beside the data-parallel group, which is on links for a share of the time.
    double slowedByData(double share, double onLinks) const {
        const double beside = 1 + share * (slowdown_.collective - 1);
        return onLinks == 1 ? beside : 1 / (onLinks / beside + (1 - onLinks));
    }
    /// From when on the data-parallel group may send the next that work starting at `start` gives it.
    double dataFrom(const Stage& state, double start) const { return std::max(state.data, gatherEveryUnit_ && gathersAhead_ ? state.previous : start); }
    void prepare();
    void playPlainly();
    void playSharded();
    bool recall(const Remembered& known, Stage& state, std::uint32_t next, double start, std::array<double, 2>& ends) const;
    void playShardedUnits(const StepGraph::Step& step, Stage& state, double start, std::array<double, 2>& ends);
    void playWhole(const StepGraph::Step& step, Stage& state, double start, std::array<double, 2>& ends) const;
    void handOnBoth(std::uint32_t step, Stage& state, const std::array<double, 2>& ends);
    void setTimes(const WorkClass& work, const WorkTimes& times);
    void prepareGathers();
    void gatherFirst(int stage, const std::vector<PieceRun>& runs, std::vector<double>& ends);
    void zip(const WorkClass& work, WorkTimes& times);
    const PassTime& unitTime(const WorkClass& work, const UnitRun& run, PassTime& own) const;
    bool needsUnits(const StepGraph::Step& step, const Stage& state, double ready) const;
    void playUnits(std::uint32_t step, double ready, std::array<double, 2>& ends);
    /// The units that follow a run's, and the step they belong to.
    struct Following {
        const UnitRun* run = nullptr; ///< null: none
        std::uint32_t step = 0;
        std::array<int, 2> places{}; ///< of its passes: which unit
    };
    Following following(std::uint32_t step) const;
    void prepareCopies();
    double fetch(Stage& state, const Following& next, double release);
    void store(Stage& state, const Following& now);
    double& storedAt(std::uint32_t step, std::size_t side, int place);
    void listRuns(const PassClass& pass, WorkTimes& times);
    void playSlowly(std::uint32_t step, double ready);
    ExchangeTime gatherTime(const WorkClass& work, const UnitRun& run);
    void endGradients(Stage& state, const WorkClass& work, const UnitRun& run, bool isLast, const std::array<bool, 2>& lastOfPass);
    void sendGradients(Stage& state, int stage);
    void sendLastGradients(Stage& state, int stage);
    double handOn(Stage& state, std::uint32_t pass, double end);
    PieceTransfers& transfersOf(int stage, int piece);

    GridTimes* grid_ = nullptr;
    const StepGraph* graph_ = nullptr;
    const std::vector<StagePace>* paces_ = nullptr; ///< by stage
    const PieceTable* table_ = nullptr;             ///< the first stage's, for all but times
    const std::vector<ChunkWork>* chunks_ = nullptr;

    bool overlapPipeline_ = true, overlapData_ = true, gathersAhead_ = true;
    bool shares_ = false;          ///< several ranks hold the same weights
    bool gatherEveryUnit_ = false; ///< a piece's weights are gathered one piece ahead, every time
    bool reduceEveryUnit_ = false; ///< its gradients are reduced every time
    bool reduceUnitsOnce_ = false; ///< a piece's gradients, added up whole, are reduced after its last backward
    bool gatherAtFirst_ = false;   ///< weights come over once, before a slot's first forward
    bool copies_ = false;          ///< something lives in host memory
    bool sendsMeet_ = false;       ///< transfers between stages may find the data-parallel group sending
    OverlapSlowdown slowdown_;
    bool buckets_ = false; ///< otherwise, with overlap or by piece: gradients go as soon as a bucket is full

    std::vector<Stage> stages_;
    std::vector<StageEnd> ends_;
    std::vector<WorkTimes> works_;
    std::vector<Remembered> remembered_; ///< by work
    std::vector<UnitRun> runs_;
    std::vector<double> sendTimes_; ///< by pass class
    StageTransfers* transfersBetween_ = nullptr;
    std::vector<double> arrived_;           ///< by step and pass: its result is where it is wanted
    std::vector<PieceTransfers> transfers_; ///< by stage and piece
    std::vector<double> stored_;            ///< by chunk, micro-batch and unit: its activations are on the host
    int mostUnits_ = 0;
    std::vector<std::vector<double>> gathered_; ///< by stage and slot: when weights are there that come over before its first forward, by unit
};

/// Gives when the result of a pass that ended at `end` is where it is wanted.
inline double PipelinePlayer::handOn(Stage& state, std::uint32_t pass, double end) {
    if (graph_->passes[pass].sendTo < 0) return end;
    const double start = std::max(state.send, end);
    double time = sendTimes_[pass];
    const double backlog = state.data - start;
    // Most sends meet nobody: how they would slow each other down is found out when it is first asked for.
    const Stretch stretch = sendsMeet_ && backlog > 0 ? transfersBetween_->besideData(*grid_, graph_->passes[pass].stage, graph_->passes[pass].sendTo) : Stretch{};
    if (stretch.own > 1) {
        const Coupled both = withCopies(couple(time, 1 / stretch.own, backlog * state.onLinks, 1 / stretch.other), backlog, state.onLinks);
        time = both.first;
        if (state.gathered == state.data) state.gathered = start + both.second;
        if (state.reduced == state.data) state.reduced = start + both.second;
        state.gatherDelay += both.second - backlog;
        state.data = start + both.second;
    }
    state.send = start + time;
    if (!overlapPipeline_) state.compute = std::max(state.compute, state.send);
    return state.send;
}

} // namespace orrery
