#pragma once

#include "core/model/graph.hpp"
#include "core/network/collectives.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

/// Which ranks work together, by `parallelism.order` (the first dimension is contiguous; Megatron's rank grid).
class RankGrid {
public:
    explicit RankGrid(const Parallelism& parallelism);

    int rank(int tensor, int data, int pipeline) const;
    std::vector<int> tensorGroup(int stage) const;
    std::vector<int> dataGroup(int stage) const;
    std::vector<int> neighbours(int stage, int otherStage) const; ///< the two ranks of a point-to-point transfer
    std::vector<int> stageRanks(int stage) const;                 ///< ascending

private:
    Parallelism plan_;
    int tensorStride_ = 1, dataStride_ = 1, pipelineStride_ = 1;
};

/// "0-31" or "0, 2, 4 … 62" for people.
std::string describeRanks(const std::vector<int>& ranks);

} // namespace orrery
