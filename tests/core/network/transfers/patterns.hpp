// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/pattern_maker.hpp"
#include "tests/support/drawn_cluster.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace orrery::test {

/// A cluster with all that it takes to make patterns on it.
class Network {
public:
    explicit Network(Cluster cluster) : cluster_(std::move(cluster)), fabric(cluster_), capacities(fabric.capacities()), router(fabric), maker(router) {}
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

private:
    Cluster cluster_;

public:
    Fabric fabric;
    std::vector<double> capacities;
    Router router;
    PatternMaker maker;

    std::vector<int> all() const {
        std::vector<int> ranks(static_cast<std::size_t>(fabric.ranks()));
        std::iota(ranks.begin(), ranks.end(), 0);
        return ranks;
    }

    TransferPattern make(const std::vector<int>& ranks, CollectiveKind kind, const std::string& algorithm = "ring") {
        PatternRequest request;
        request.kind = kind;
        request.algorithm = algorithm;
        return maker.make(ranks, request);
    }

    AloneTime alone(const std::vector<int>& ranks, CollectiveKind kind, double bytes, const std::string& algorithm = "ring") {
        return aloneTime(make(ranks, kind, algorithm), bytes, capacities);
    }

    /// Bytes that each link carries for `bytes` of the collective, by link.
    std::vector<double> carried(const TransferPattern& pattern, double bytes) const {
        std::vector<double> sum(capacities.size(), 0);
        for (const PatternPhase& phase : pattern.phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& use : flows.uses) {
                    const bool up = kindOf(use.link) == LinkKind::scale_up;
                    sum[use.link] += use.flows * (up ? pattern.upWire : pattern.outWire) * flows.bytesPerByte * bytes;
                }
        return sum;
    }

    LinkKind kindOf(FlowLink link) const { return fabric.groups()[fabric.links()[link].group].kind; }
};

inline double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Equal to 1e-9 of what is wanted.
inline ::testing::AssertionResult close(double value, double wanted) {
    if (value == wanted || (wanted != 0 && value / wanted > 1 - 1e-9 && value / wanted < 1 + 1e-9)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << value << " instead of " << wanted;
}

} // namespace orrery::test
