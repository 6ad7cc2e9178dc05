// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/network/cluster.hpp"
#include "core/scenario/document/filled_document.hpp"

#include <optional>
#include <string>

namespace orrery {

class Catalog; // core/catalog

/// The accelerator that stands at a pointer, as an id or an object.
std::optional<Accelerator> readAcceleratorAt(const FilledDocument& document, const std::string& pointer, const Catalog& catalog, Problems& problems);

/// Reads `/cluster`, short or drawn form, after the shape check. What is left out comes from the accelerator's usual
/// platform and is noted in the document. Gives nothing when a problem is an error.
std::optional<Cluster> readCluster(FilledDocument& document, const Catalog& catalog, Problems& problems);

} // namespace orrery
