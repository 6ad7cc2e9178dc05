// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

/// The accelerators of the cluster's largest hosts: ranks are numbered host by host.
int acceleratorsPerHost(const Cluster& cluster);

/// Which ranks work together, by `parallelism.order` (the first dimension is contiguous; Megatron's rank grid).
class RankGrid {
public:
    explicit RankGrid(const Parallelism& parallelism);

    int rank(int tensor, int context, int data, int pipeline) const;
    std::vector<int> stageRanks(int stage) const; ///< ascending

private:
    Parallelism plan_;
    int tensorStride_ = 1, contextStride_ = 1, dataStride_ = 1, pipelineStride_ = 1;
};

/// "0-31" or "0, 2, 4 … 62" for people.
std::string describeRanks(const std::vector<int>& ranks);

} // namespace orrery
