// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/validation/score.hpp"
#include "core/base/run_control.hpp"
#include "core/scenario/reader/reader.hpp"

namespace orrery {

class Catalog; // core/catalog

/// Reads and simulates a scenario on one thread. Problems of the scenario make a rejected prediction with the first error's
/// place and message; the scenario's name and notes are blanked first, for a case's file writes its id there.
/// `memoryCeiling`: see RunControl. `catalog` must outlive the predictor.
Predictor scenarioPredictor(const Catalog& catalog, FileReader readFile, double memoryCeiling = usualMemoryCeiling);

} // namespace orrery
