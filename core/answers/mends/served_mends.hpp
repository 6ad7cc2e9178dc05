// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/reader/reader.hpp"

#include <vector>

namespace orrery {

/// Changes to an engine that does not fit which make it fit (core/answers/mends/mends.hpp's tryMends calls this): each is simulated, of many
/// requests their first. Those that turn no request away come first, of these the ones whose requests take least. Pairs are tried while fewer
/// than three single changes fit.
std::vector<TriedMend> tryServedMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control);

} // namespace orrery
