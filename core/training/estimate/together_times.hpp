// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"
#include "core/network/transfers/flow_transfers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace orrery {

/// A question about traffic, whichever links it is on, as 128 bits of hash: two of the shapes ever seen have the same with a probability below 1e-20.
using TrafficShape = std::array<std::uint64_t, 2>;

struct TrafficShapeHash {
    std::size_t operator()(const TrafficShape& shape) const { return static_cast<std::size_t>(shape[0]); }
};

/// The places of links in use among them, in the order of the links, so that whatever goes by that order goes the same way.
class LinkNumbers {
public:
    /// `links`: how many there are in all.
    void begin(std::size_t links);
    void add(const std::vector<FlowUse>& uses);
    void add(const TransferPattern& pattern);
    void finish();
    /// The place of a link that was added.
    FlowLink of(FlowLink link) const { return number_[link]; }
    /// Those that were added, in order.
    const std::vector<FlowLink>& links() const { return links_; }

private:
    std::vector<FlowLink> links_;
    std::vector<FlowLink> number_; ///< by link: its place in `links_`
    std::vector<char> isAdded_;    ///< by link
};

/// Builds a shape: two hashes of a row of words.
class ShapeBuilder {
public:
    explicit ShapeBuilder(const LinkNumbers& numbers) : numbers_(numbers) {}
    void add(std::uint64_t word);
    void add(double number);
    void add(const std::vector<FlowUse>& uses);
    void add(const Transfer& transfer);
    /// How wide the numbered links are.
    void addWidths(const std::vector<double>& capacities);
    TrafficShape shape() const { return {a_, b_}; }

private:
    const LinkNumbers& numbers_;
    std::uint64_t a_ = 1, b_ = 2;
};

/// How long transfers take that begin together. What was found out is kept by the shape of the question: who crosses which links with how much,
/// how wide these are, and what else is on them, whichever links they are. Stages of one pipeline, and grids of ranks that lie alike, ask the
/// same.
class TogetherTimes {
public:
    /// Until the last of them has ended, s. `beside` is on its way all the time. Infinity: a link of no capacity.
    double seconds(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside);

private:
    TrafficShape shapeOf(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) const;
    double played(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside);
    std::optional<double> oneMoment(const std::vector<Transfer>& transfers, const std::vector<double>& widths, const std::vector<FlowDemand>& beside);

    std::unordered_map<TrafficShape, double, TrafficShapeHash> known_;
    std::vector<Transfer> asked_; ///< working memory, as what follows
    LinkNumbers numbers_;
    std::vector<FlowUse> uses_; ///< of all flows, one after the other
    std::vector<DemandView> demands_;
    std::vector<double> rates_;
};

/// Sets of patterns that run together, phase by phase, s: without any flow, each phase alone, and by others' phase each beside it.
struct PhaseTimes {
    double latency = 0;
    std::vector<double> seconds, beside;
};

/// Traffic of some transfers and of others that use common links.
struct Meeting {
    bool meet = false;
    PhaseTimes own, other;
};

/// What meetings of traffic come to, kept by the shape of the question as in TogetherTimes: transfers between one pair of stages after the other meet alike.
class MeetingTimes {
public:
    /// `together` outlives this.
    explicit MeetingTimes(TogetherTimes& together) : together_(together) {}
    /// The former run together phase by phase, and so do the latter. The answer holds until the next question.
    const Meeting& between(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities);

private:
    bool meet(const std::vector<Transfer>& own, const std::vector<Transfer>& other, std::size_t links);
    TrafficShape shapeOf(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities);
    Meeting played(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities);

    TogetherTimes& together_;
    std::unordered_map<TrafficShape, Meeting, TrafficShapeHash> known_;
    LinkNumbers numbers_;    ///< working memory, as what follows
    std::vector<char> used_; ///< by link
};

} // namespace orrery
