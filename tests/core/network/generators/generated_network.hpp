// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/network/generators/topology_builder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace orrery::test {

/// A topology as single machines and cables, made from its JSON alone: the second opinion on what a drawing stands for.
struct GeneratedNetwork {
    struct Machine {
        std::string node; ///< id in the drawing
        int replica = 0;
        bool isHost = false;
        int accelerators = 0;
        std::string domain;
        std::string group;
        std::vector<int> coordinates;
    };
    struct Cable { ///< `count` parallel ones
        int from;
        int to;
        double bandwidth; ///< GB/s of one
        int count;
    };
    std::vector<Machine> machines; ///< in the order of the file, replica after replica
    std::vector<Cable> cables;

    int hosts() const;
    int switches(const std::string& stem = {}) const; ///< whose id begins so
    int cablesAt(int machine) const;
    int cablesBetween(const std::string& stem, const std::string& other) const;
    std::vector<int> neighbours(int machine) const;
    /// What every way between the two sets of machines can carry together, GB/s: the smallest cut (Ford, Fulkerson 1956).
    double cut(const std::vector<int>& from, const std::vector<int>& to) const;
};

GeneratedNetwork networkOf(const Json& topology);

/// The generator must succeed; its problems are printed otherwise.
GeneratedNetwork networkOf(const GeneratedTopology& generated);

} // namespace orrery::test
