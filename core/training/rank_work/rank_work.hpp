// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/cost/operator_cost.hpp"
#include "core/training/job_traffic/job_traffic.hpp"
#include "core/training/memory/liveness.hpp"
#include "core/training/segments/segment_builder.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What tasks of a program run: timed operators, and the segments that place them. Who made them, a plan or a recording, doesn't show.
struct WorkTables {
    std::vector<TimedOperator> operators;
    std::vector<Segment> segments;
    std::vector<SegmentParts> parts; ///< by segment

    /// Adds a segment of one operator.
    std::uint32_t addSingle(std::string name, TimedOperator timed, StreamKind stream);
    std::uint32_t add(BuiltSegment built);
};

/// A piece of the model as every rank of a tensor group runs it, ready to be placed on a timeline.
struct PieceWork {
    Graph graph;                      ///< after all passes
    std::uint32_t forwardSegment = 0; ///< index into WorkTables::segments
    std::uint32_t backwardSegment = 0;
    /// Where the schedule runs backwards in two parts (Qi et al. 2023): the input's, which other chunks wait for, and the weights'.
    std::uint32_t backwardInputSegment = 0, backwardWeightSegment = 0;
    PieceMemory forwardMemory;
    PieceMemory backwardMemory;
    PieceMemory backwardInputMemory, backwardWeightMemory; ///< `saved` of the two adds up to what forward saved
    double elements = 0;                                   ///< parameters one rank trains, without routed experts
    double expertElements = 0;                             ///< of its routed experts
    double frozenElements = 0;                             ///< parameters one rank holds and does not train
    double wideElements = 0;                               ///< of `elements`, embedding and head: in 16 bit whatever products are in
    int weightTensors = 0;                                 ///< that those parameters lie in, routed experts' not counted
    double orthogonalFlops = 0;                            ///< what Muon takes to orthogonalise the updates of the rank's matrices
};

/// The pieces that stages are made of, with the tables their segments index into. Ranks of equal accelerators can't differ in
/// them, so they are made once.
struct RankWork : WorkTables {
    PieceWork embedding, head;
    std::optional<PieceWork> nextToken; ///< a module of multi-token prediction, after the last layer
    std::vector<PieceWork> layers;      ///< one for each kind of layer
    std::vector<int> kindOfLayer;       ///< by layer of the model: index into `layers`
    const PieceWork& layer(int index) const { return layers[static_cast<std::size_t>(kindOfLayer[static_cast<std::size_t>(index)])]; }
};

/// The graphs of embedding, first kind of layer and head after the passes (graph_passes.hpp).
std::array<Graph, 3> plannedGraphs(const Scenario& scenario, RecomputeKind recompute);

/// How operators share a rank's streams in this scenario.
SegmentOptions segmentOptions(const Scenario& scenario);

/// Times every operator of the planned graphs and places it in its segment. A collective's time is what it takes alone on its links.
RankWork makeRankWork(const Scenario& scenario, RecomputeKind recompute, const CostModel& cost, JobTraffic& traffic);

/// A collective's or transfer's time alone on its links, of the cell that takes longest.
OperatorTime collectiveTime(JobTraffic& traffic, const TrafficKind& kind, const Operator& op);
/// The operator with that.
TimedOperator timedCollective(JobTraffic& traffic, const TrafficKind& kind, Operator op);

} // namespace orrery
