// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/network/cluster.hpp"
#include "core/scenario/filled_document.hpp"

#include <optional>

namespace orrery {

class Catalog; // core/catalog

/// Reads `/cluster`, short or drawn form, after the shape check. What is left out comes from the accelerator's usual
/// platform and is noted in the document. Gives nothing when a problem is an error.
std::optional<Cluster> readCluster(FilledDocument& document, const Catalog& catalog, Problems& problems);

} // namespace orrery
