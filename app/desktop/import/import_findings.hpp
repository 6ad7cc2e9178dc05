// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <QString>

#include <vector>

namespace orrery {

/// Findings of an import that mean the same for the user.
struct FindingGroup {
    enum class Kind { refused,
                      unsound,
                      not_understood,
                      left_open,
                      other,
                      assumed,
                      not_needed };
    Kind kind = Kind::other;
    QString title;
    std::vector<Problem> findings;
};

/// What was said about an import, what stands in the way first. `unsound`: what the rules of a scenario say of its outcome.
std::vector<FindingGroup> groupFindings(const Problems& import, const Problems& unsound);

/// "line 3: message"
QString findingText(const Problem& problem);

} // namespace orrery
