// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/link_shapes.hpp"

#include "core/base/mixed_bits.hpp"

#include <algorithm>
#include <bit>

namespace orrery {

void LinkNumbers::begin(std::size_t links) {
    links_.clear();
    if (number_.size() >= links) return;
    number_.resize(links);
    isAdded_.resize(links, 0);
}

void LinkNumbers::add(const std::vector<FlowUse>& uses) {
    for (const FlowUse& use : uses) {
        if (isAdded_[use.link]) continue;
        isAdded_[use.link] = 1;
        links_.push_back(use.link);
    }
}

void LinkNumbers::add(const TransferPattern& pattern) {
    for (const PatternPhase& phase : pattern.phases)
        for (const PatternFlows& flows : phase.flows) add(flows.uses);
}

void LinkNumbers::finish() {
    std::sort(links_.begin(), links_.end());
    for (std::size_t i = 0; i < links_.size(); ++i) {
        number_[links_[i]] = static_cast<FlowLink>(i);
        isAdded_[links_[i]] = 0;
    }
}

void ShapeBuilder::add(std::uint64_t word) {
    a_ = mixedBits(a_ ^ word) + 0x9e3779b97f4a7c15ULL;
    b_ = mixedBits(b_ + word * 0xd1342543de82ef95ULL) ^ 0x632be59bd9b4e019ULL;
}

void ShapeBuilder::add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

void ShapeBuilder::add(const std::vector<FlowUse>& uses) {
    add(std::uint64_t{uses.size()});
    for (const FlowUse& use : uses) {
        add(std::uint64_t{numbers_.of(use.link)});
        add(use.flows);
    }
}

void ShapeBuilder::add(const Transfer& transfer) {
    add(transfer.bytes);
    add(transfer.stretch);
    add(transfer.pattern->start);
    add(std::uint64_t{transfer.pattern->phases.size()});
    for (const PatternPhase& phase : transfer.pattern->phases) {
        add(phase.latency);
        add(std::uint64_t{phase.flows.size()});
        for (const PatternFlows& flows : phase.flows) {
            add(flows.bytesPerByte);
            add(flows.cap);
            add(flows.uses);
        }
    }
}

void ShapeBuilder::addWidths(const std::vector<double>& capacities) {
    add(std::uint64_t{numbers_.links().size()});
    for (const FlowLink link : numbers_.links()) add(capacities[link]);
}

} // namespace orrery
