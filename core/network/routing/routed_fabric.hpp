// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/router.hpp"

#include <vector>

namespace orrery {

/// A cluster's fabric and the ways over it, which several jobs, or several engines of one job, may share. Refers to the cluster. Not for
/// use by two threads at once.
class RoutedFabric {
public:
    explicit RoutedFabric(const Cluster& cluster) : fabric_(cluster), capacities_(fabric_.capacities()), router_(fabric_) {}
    RoutedFabric(const RoutedFabric&) = delete;
    RoutedFabric& operator=(const RoutedFabric&) = delete;

    const Fabric& fabric() const { return fabric_; }
    const std::vector<double>& capacities() const { return capacities_; } ///< bytes/s, by link
    Router& router() { return router_; }

private:
    Fabric fabric_;
    std::vector<double> capacities_;
    Router router_;
};

} // namespace orrery
