// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/beside_job.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/reader/reader.hpp"

#include <vector>

namespace orrery {

/// Reads `/beside`: each job's own scenario, and where it sits. Its own cluster says what its accelerators are, and has as many as its hosts.
std::vector<BesideJob> readBeside(const FilledDocument& document, const Cluster& cluster, const Catalog& catalog, const FileReader& readFile, Problems& problems);

} // namespace orrery
