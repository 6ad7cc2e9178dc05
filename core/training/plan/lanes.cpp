// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/lanes.hpp"

namespace orrery {

StreamNames trainingStreamNames() { return {"compute", "tensor", "pipeline", "data", "to_host", "from_host"}; }

LaneMap::LaneMap(int stages, int data) {
    for (int stage = 0; stage < stages; ++stage) {
        lanes_.push_back({stage, 0, data, 1});
        first_.push_back(stage);
    }
    first_.push_back(stages);
}

LaneMap::LaneMap(const std::vector<std::vector<std::uint32_t>>& classOf, const std::vector<std::vector<double>>& slowdown)
    : classOf_(classOf) {
    for (std::size_t stage = 0; stage < classOf.size(); ++stage) {
        first_.push_back(static_cast<int>(lanes_.size()));
        const std::size_t begin = lanes_.size();
        for (std::size_t cell = 0; cell < classOf[stage].size(); ++cell) {
            const std::size_t lane = begin + classOf[stage][cell];
            if (lane == lanes_.size()) lanes_.push_back({static_cast<int>(stage), static_cast<int>(cell), 0, slowdown[stage][cell]});
            ++lanes_[lane].cells;
        }
    }
    first_.push_back(static_cast<int>(lanes_.size()));
}

int LaneMap::partner(int lane, int stage) const {
    if (classOf_.empty()) return stage;
    const int cell = lanes_[static_cast<std::size_t>(lane)].cell;
    return first(stage) + static_cast<int>(classOf_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(cell)]);
}

} // namespace orrery
