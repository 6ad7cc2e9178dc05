// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/operators/predictor.hpp"

#include <functional>

namespace orrery {

class Catalog; // core/catalog

/// One machine's tables.
struct SystemTables {
    std::string name; ///< the folder's
    const Accelerator* accelerator = nullptr;
    std::vector<KernelTable> tables;
};

/// The accelerator that a folder of tables belongs to, by the names such folders have ("h100_sxm") or the catalogue's ids; null
/// where neither knows it.
const Accelerator* acceleratorOfFolder(std::string_view folder, const Catalog& catalog);

/// Whether a row may be fitted to.
using RowFilter = std::function<bool(const SystemTables&, const MeasuredCall&)>;

/// Accelerators of one generation share a fit. Rows that `keep` turns down are not looked at. Gives the same predictor whatever the
/// number of threads.
OperatorPredictor fitPredictor(const std::vector<SystemTables>& systems, int threads, const RowFilter& keep = {});

} // namespace orrery
