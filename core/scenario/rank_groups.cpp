// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rank_groups.hpp"

#include <algorithm>
#include <sstream>

namespace orrery {

int acceleratorsPerHost(const Cluster& cluster) {
    int most = 1;
    for (const TopologyNode& node : cluster.nodes)
        if (node.kind == NodeKind::host) most = std::max(most, node.count);
    return most;
}

RankGrid::RankGrid(const Parallelism& parallelism) : plan_(parallelism) {
    int stride = 1;
    std::istringstream order(parallelism.order);
    for (std::string dimension; std::getline(order, dimension, '-');) {
        if (dimension == "tp") {
            tensorStride_ = stride;
            stride *= parallelism.tensor;
        } else if (dimension == "cp") {
            contextStride_ = stride;
            stride *= parallelism.context;
        } else if (dimension == "dp") {
            dataStride_ = stride;
            stride *= parallelism.data;
        } else if (dimension == "pp") {
            pipelineStride_ = stride;
            stride *= parallelism.pipeline;
        }
    }
}

int RankGrid::rank(int tensor, int context, int data, int pipeline) const {
    return tensor * tensorStride_ + context * contextStride_ + data * dataStride_ + pipeline * pipelineStride_;
}

std::vector<int> RankGrid::stageRanks(int stage) const {
    std::vector<int> ranks;
    for (int d = 0; d < plan_.data; ++d)
        for (int c = 0; c < plan_.context; ++c)
            for (int t = 0; t < plan_.tensor; ++t) ranks.push_back(rank(t, c, d, stage));
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::string describeRanks(const std::vector<int>& ranks) {
    if (ranks.empty()) return {};
    const int first = ranks.front();
    const int last = ranks.back();
    if (ranks.size() == 1) return std::to_string(first);
    if (last - first + 1 == static_cast<int>(ranks.size())) return std::to_string(first) + "-" + std::to_string(last);
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, ranks.size()); ++i)
        text += (i ? ", " : "") + std::to_string(ranks[i]);
    if (ranks.size() > 3) text += " … " + std::to_string(last);
    return text;
}

} // namespace orrery
