// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

namespace orrery {

/// What a generator gives: a topology in the drawn form (`{"nodes", "links"}`, with "routing" where it isn't the shortest
/// ways), or what is wrong with its parameters. Problems point to the parameter by its key ("/hosts_per_unit"); the edits
/// of their mends set parameters the same way.
struct GeneratedTopology {
    BoxedJson topology; ///< null when there are problems
    Problems problems;

    bool ok() const { return problems.empty(); }
};

} // namespace orrery
