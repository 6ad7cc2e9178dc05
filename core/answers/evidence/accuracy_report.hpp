// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_bars.hpp"

#include <string>
#include <string_view>

namespace orrery {

class Catalog; // core/catalog

/// How right the program is, as one HTML page that needs no other file: errors of time and of peak memory by accelerator, model,
/// framework and collection, worst first, each with the runs behind it; what was never measured; how well the error bars cover; all runs,
/// worst first. Light or dark as the reader's browser is. The same evidence gives the same bytes.
std::string accuracyReport(const Evidence& evidence, const Catalog& catalog, const ErrorBars& bars);

} // namespace orrery
