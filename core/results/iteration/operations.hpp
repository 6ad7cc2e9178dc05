// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// The contract's `operations`, one row an operator's name and phase, in the order in which they are first met.
class OperationRows {
public:
    /// `count` executions of an operator that took `time` s in all; both a mean over accelerators.
    void add(const TimedOperator& timed, double count, double time);
    std::vector<OperationRow> take() { return std::move(rows_); }

private:
    std::vector<OperationRow> rows_;
    std::map<std::pair<std::string, Phase>, std::size_t> index_;
};

} // namespace orrery
