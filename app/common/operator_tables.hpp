// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/fitting.hpp"
#include "core/operators/measured_times.hpp"

#include <memory>
#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Reads DIR/SYSTEM/OPERATOR.csv, or .csv.gz, of every system and operator known; what is not is a warning. An error when nothing
/// could be read.
std::vector<SystemTables> loadOperatorTables(const std::string& folder, const Catalog& catalog, Problems& problems);

/// Where this user's data lies: $XDG_DATA_HOME/orrery, else ~/.local/share/orrery; empty where neither is known.
std::string userDataFolder();

/// The measurements this user imported; empty when there are none.
std::shared_ptr<const MeasuredTimes> userMeasuredTimes(const Catalog& catalog, Problems& problems);

struct ImportedTable {
    std::string file; ///< where it is kept
    std::string accelerator;
    KernelKind kind = KernelKind::gemm;
    std::size_t rows = 0; ///< taken from the file
    std::size_t kept = 0; ///< in all, with those imported before
};

/// Adds a table of measured times to the user's own. `accelerator`: catalogue id; empty: by the name of the file's folder. `kind`: empty:
/// by the file's name, else its columns. Nothing, with problems, where a row can't be read: no half of a table is taken.
std::optional<ImportedTable> importMeasuredTable(const std::string& file, const std::string& accelerator, const std::string& kind,
                                                 const Catalog& catalog, Problems& problems);

} // namespace orrery
