// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// The parts of `execution` that say what is not as drawn or not as chosen.
struct WhatIfs {
    CollectiveOverrides collectives;
    std::vector<LinkChange> links;
    std::vector<Straggler> stragglers;
    Jitter jitter;
    JitterModel jitterModel;
};

/// Names are those of the drawing; in the short form those that it is drawn with ("node", "leaf", "spine"). A name, rank or
/// link that is not there is a problem.
WhatIfs readWhatIfs(const FilledDocument& document, const Cluster& cluster, Problems& problems);

/// The communication library's constants for the cluster; those that were not measured on its accelerator are listed as assumed.
LibraryConstants readLibrary(FilledDocument& document, const Catalog& catalog, const Accelerator& accelerator);

} // namespace orrery
