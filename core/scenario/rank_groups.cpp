// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rank_groups.hpp"

#include "core/base/expect.hpp"

#include <algorithm>
#include <map>
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
    ORRERY_EXPECT(tensor >= 0 && context >= 0 && data >= 0 && pipeline >= 0, tensor, context, data, pipeline);
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

RankDomains rankDomains(const Cluster& cluster) {
    RankDomains domains;
    std::map<std::string, int> shared;
    const auto open = [&](std::string name) {
        domains.names.push_back(std::move(name));
        domains.sizes.push_back(0);
        return static_cast<int>(domains.names.size()) - 1;
    };
    for (const TopologyNode& node : cluster.nodes) {
        if (node.kind != NodeKind::host) continue;
        for (int replica = 0; replica < node.replicas; ++replica) {
            int domain = 0;
            if (node.domain.empty()) {
                domain = open(node.replicas > 1 ? node.id + "[" + std::to_string(replica) + "]" : node.id);
            } else {
                const auto known = shared.find(node.domain);
                domains.wide = domains.wide || known != shared.end();
                domain = known != shared.end() ? known->second : open(node.domain);
                shared.emplace(node.domain, domain);
            }
            domains.sizes[static_cast<std::size_t>(domain)] += node.count;
            domains.ofRank.insert(domains.ofRank.end(), static_cast<std::size_t>(node.count), domain);
        }
    }
    return domains;
}

RankGroups tensorGroups(const Parallelism& plan) {
    const RankGrid grid(plan);
    RankGroups groups;
    for (int p = 0; p < plan.pipeline; ++p)
        for (int d = 0; d < plan.data; ++d)
            for (int c = 0; c < plan.context; ++c) {
                groups.emplace_back();
                for (int t = 0; t < plan.tensor; ++t) groups.back().push_back(grid.rank(t, c, d, p));
            }
    return groups;
}

RankGroups contextGroups(const Parallelism& plan) {
    const RankGrid grid(plan);
    RankGroups groups;
    for (int p = 0; p < plan.pipeline; ++p)
        for (int d = 0; d < plan.data; ++d)
            for (int t = 0; t < plan.tensor; ++t) {
                groups.emplace_back();
                for (int c = 0; c < plan.context; ++c) groups.back().push_back(grid.rank(t, c, d, p));
            }
    return groups;
}

RankGroups expertGroups(const Parallelism& plan) {
    const RankGrid grid(plan);
    const auto size = static_cast<std::ptrdiff_t>(plan.expert) * plan.expertTensor;
    RankGroups groups;
    for (int p = 0; p < plan.pipeline; ++p) {
        const std::vector<int> ranks = grid.stageRanks(p);
        for (auto from = ranks.begin(); ranks.end() - from >= size; from += size) groups.emplace_back(from, from + size);
    }
    return groups;
}

DomainCrossings crossingsOf(const RankGroups& groups, const RankDomains& domains) {
    DomainCrossings found;
    found.groups = static_cast<int>(groups.size());
    const int largest = domains.sizes.empty() ? 1 : std::max(1, *std::max_element(domains.sizes.begin(), domains.sizes.end()));
    for (const std::vector<int>& group : groups) {
        std::vector<int> touched;
        int least = group.front(), most = group.front();
        for (const int rank : group) {
            const int domain = domains.ofRank.at(static_cast<std::size_t>(rank));
            if (touched.empty() || touched.back() != domain) touched.push_back(domain);
            least = std::min(least, rank);
            most = std::max(most, rank);
        }
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        if (touched.size() < 2) continue;
        found.avoidable = found.avoidable || static_cast<int>(touched.size()) > (most - least + largest) / largest;
        if (++found.crossing > 1) continue;
        found.first = group;
        found.firstDomains = std::move(touched);
    }
    return found;
}

} // namespace orrery
