// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/flow_transfers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
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

} // namespace orrery
