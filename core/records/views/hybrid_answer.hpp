// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/ranks/hybrid_run.hpp"
#include "core/records/views/hybrid_timeline.hpp"
#include "core/scenario/reader/reader.hpp"

#include <optional>

namespace orrery {

class Catalog;

/// What a scenario's hybrid gave.
struct HybridAnswer {
    BoxedJson document;                     ///< the result
    std::optional<HybridRun> run;           ///< of a replay; nothing where the records are of the plan's own kernels, and its iteration was run
    std::optional<PlannedTimeline> planned; ///< then that iteration, unless it hangs
};

/// Runs a scenario with its `hybrid`: over its plan where the records are of the plan's own kernels, else as a replay of the records. Nothing, with problems, where it can't be run; warnings are added too.
std::optional<HybridAnswer> answerHybrid(const Json& document, const Catalog& catalog, const FileReader& readFile, Problems& problems);

} // namespace orrery
