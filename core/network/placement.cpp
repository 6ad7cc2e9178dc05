#include "core/network/collectives.hpp"
#include "core/network/routes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace orrery {
namespace {

/// Which host and which scale-up domain a rank is in.
class RankMap {
public:
    explicit RankMap(const Cluster& cluster) {
        std::map<std::string_view, int> shared;
        int rank = 0;
        for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
            const TopologyNode& node = cluster.nodes[i];
            if (node.kind != NodeKind::host || node.count < 1 || node.replicas < 1) continue;
            Block block{rank, node.count, static_cast<int>(i), domains_, false};
            if (node.domain.empty()) {
                domains_ += node.replicas;
            } else {
                const auto [entry, added] = shared.emplace(node.domain, domains_);
                if (added) ++domains_;
                block.firstDomain = entry->second;
                block.shared = true;
            }
            blocks_.push_back(block);
            rank += node.count * node.replicas;
        }
    }

    int domains() const { return domains_; }

    struct Seat {
        int node;   ///< index into the cluster's nodes
        int domain;
    };

    Seat seat(int rank) const {
        const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), rank,
                                            [](int wanted, const Block& block) { return wanted < block.firstRank; });
        const Block& block = *std::prev(after);
        return {block.node, block.shared ? block.firstDomain : block.firstDomain + (rank - block.firstRank) / block.count};
    }

private:
    /// A host of the drawing with all its replicas.
    struct Block {
        int firstRank;
        int count; ///< accelerators of one replica
        int node;
        int firstDomain;
        bool shared; ///< all replicas are in `firstDomain`; else each is a domain of its own
    };

    std::vector<Block> blocks_;
    int domains_ = 0;
};

/// The members of a group in one domain, in the group's order.
struct DomainMembers {
    int count = 0;
    int firstNode = 0;
    int lastNode = 0;
};

template <typename RankAt>
GroupPlacement placeRanks(const Cluster& cluster, int count, RankAt rankAt) {
    GroupPlacement placement;
    placement.ranks = count;
    placement.scaleUpBandwidth = cluster.scaleUpBandwidth;
    placement.scaleUpLatency = cluster.scaleUpLatency;
    if (count < 1) return placement;
    const RankMap map(cluster);
    std::vector<int> slot(static_cast<std::size_t>(map.domains()), -1);
    std::vector<DomainMembers> members;
    for (int i = 0; i < count; ++i) {
        const RankMap::Seat seat = map.seat(rankAt(i));
        int& index = slot[static_cast<std::size_t>(seat.domain)];
        if (index < 0) {
            index = static_cast<int>(members.size());
            members.push_back({0, seat.node, seat.node});
        }
        DomainMembers& domain = members[static_cast<std::size_t>(index)];
        ++domain.count;
        domain.lastNode = seat.node;
    }
    placement.domains = static_cast<int>(members.size());
    placement.membersPerDomain =
        std::min_element(members.begin(), members.end(), [](const DomainMembers& a, const DomainMembers& b) { return a.count < b.count; })->count;
    if (members.size() < 2) return placement;

    placement.scaleOutBandwidth = std::numeric_limits<double>::infinity();
    const Routes routes(cluster);
    std::map<int, std::vector<std::optional<Route>>> known;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const int from = members[i].lastNode;
        const int to = members[(i + 1) % members.size()].firstNode;
        auto found = known.find(from);
        if (found == known.end()) found = known.emplace(from, routes.from(from)).first;
        const std::optional<Route>& route = found->second[static_cast<std::size_t>(to)];
        if (!route) {
            placement.connected = false;
            continue;
        }
        placement.scaleOutBandwidth = std::min(placement.scaleOutBandwidth, route->bandwidth);
        placement.scaleOutLatency = std::max(placement.scaleOutLatency, route->latency);
    }
    if (!placement.connected) placement.scaleOutBandwidth = 0;
    return placement;
}

} // namespace

GroupPlacement place(const Cluster& cluster, const std::vector<int>& ranks) {
    return placeRanks(cluster, static_cast<int>(ranks.size()), [&](int i) { return ranks[static_cast<std::size_t>(i)]; });
}

GroupPlacement place(const Cluster& cluster, const RankSpan& ranks) {
    return placeRanks(cluster, ranks.count, [&](int i) { return ranks.begin + i * ranks.stride; });
}

} // namespace orrery
