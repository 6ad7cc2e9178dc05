// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/network_report.hpp"
#include "core/training/job_traffic/job_traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace orrery {

/// Adds up who sends how much over which links of the drawing, by row of the results and operator.
class NetworkAccount {
public:
    NetworkAccount(std::size_t rows, std::size_t operators, JobTraffic& traffic);

    void add(int row, std::uint32_t op, JobTraffic::Id id, double bytes);
    NetworkReport take() { return std::move(report_); }

private:
    /// What a pattern set sends over each link for one byte of its collective.
    struct UnitUse {
        std::uint32_t group = 0;
        double bytes = 0, busiest = 0, flows = 0;
    };
    const std::vector<UnitUse>& unitsOf(JobTraffic::Id id);

    JobTraffic& traffic_;
    NetworkReport report_;
    std::map<JobTraffic::Id, std::vector<UnitUse>> units_;
    std::vector<double> bytesOn_, flowsOn_; ///< by link, for the set being added up
};

} // namespace orrery
