// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/random_source.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery::test {

/// A drawn-up network for tests of flows, made without the core's cluster and router so that it shares no mistake with them.
class Topology {
public:
    std::string name;
    std::size_t hosts = 0;          ///< nodes 0 … hosts − 1; switches follow
    std::vector<double> capacities; ///< bytes/s by link; a cable is two links, one each way

    void addNodes(std::size_t count);
    void addCable(std::size_t a, std::size_t b, double capacity);
    std::size_t nodes() const { return exits_.size(); }

    /// Links of a shortest path; among equally short ones a random one.
    std::vector<std::uint32_t> path(std::size_t from, std::size_t to, RandomSource& random);

private:
    struct Exit {
        std::size_t node;
        std::uint32_t link;
    };

    const std::vector<std::uint32_t>& distancesTo(std::size_t node);

    std::vector<std::vector<Exit>> exits_;
    std::unordered_map<std::size_t, std::vector<std::uint32_t>> distances_;
};

enum class TopologyFamily { fat_tree,
                            leaf_spine,
                            random_graph,
                            ring,
                            torus,
                            dragonfly };

/// A topology of about `hosts` hosts (10 to 2,000, as near as the family comes), capacities as in real clusters; some with single
/// cables that are slower than their neighbours.
Topology randomTopology(TopologyFamily family, std::size_t hosts, RandomSource& random);

} // namespace orrery::test
