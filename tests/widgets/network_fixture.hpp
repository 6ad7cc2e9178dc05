// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/results/report/network_report.hpp"
#include "core/results/report/result.hpp"
#include "widgets/cluster/document/cluster_document.hpp"

#include <memory>

namespace orrery::test {

/// Traffic made by hand for a drawing, for tests of views: tensor collectives stay inside hosts, transfers between stages
/// take the first link of each host, reductions of data all links. Its shape is a report's; its numbers are chosen.
std::shared_ptr<const NetworkReport> syntheticNetwork(const ClusterDocument& document, const Timeline& timeline);

/// Two hosts and two leaves, each host cabled to each leaf; `stack` replicas of the second host.
Json twoHostScenario(int stack = 1);

/// A timeline of one stage, 10 s: "gather" from 2 to 4 s and again from 6 to 8 s on the tensor stream, "send" from 5 to 9 s
/// on the pipeline stream.
ResultPtr tenSeconds();

/// For it and twoHostScenario(): "gather" moves 100 GB inside each host (fabric 100 GB/s), "send" 40 GB from host-0 over
/// leaf-0 to host-1 and 8 GB back (cables of 20 GB/s). leaf-1 carries nothing.
std::shared_ptr<const NetworkReport> tenSecondsNetwork();

} // namespace orrery::test
