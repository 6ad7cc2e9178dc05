// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/results/report/result.hpp"

#include <string>

namespace orrery {

/// What the cluster does as it is drawn, for comparison while cables are supposed to be down, hosts slow, or other jobs on the
/// network: the last result of the same scenario without any of these.
class AsDrawn {
public:
    void take(const Json& document, const ResultPtr& result);
    ResultPtr baseline() const { return supposes_ ? result_ : nullptr; } ///< null: nothing is supposed, or what it is without is not known

private:
    /// A scenario's work as text: without what is supposed, and without what changes no number.
    struct Work {
        std::string whole;
        std::string besideCluster;
        bool drawn = false; ///< the cluster is in its drawn form
    };
    static Work workOf(const Json& document, bool& supposes);
    static bool isSame(const Work& before, const Work& now);

    bool supposes_ = false; ///< the document last taken does
    Work work_;             ///< of `result_`
    ResultPtr result_;
};

} // namespace orrery
