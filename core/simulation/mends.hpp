#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/run_control.hpp"
#include "core/report/result.hpp"
#include "core/scenario/reader.hpp"

#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Changes to a plan that does not fit which make it fit, the cheapest first: by iteration time, then by how many there are.
/// Every one was read and simulated. `document` is the scenario's, `failed` its result.
///
/// Single changes are tried first; pairs, then triples, of those that helped only while fewer than three fit, and of them the most
/// promising. The answer does not depend on `control.threads`. Empty when nothing tried fits, or when stopped.
std::vector<TriedMend> tryMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile,
                                const RunControl& control = {});

/// The result with the mends in its `outOfMemory`; the same one when it fits.
ResultPtr withTriedMends(ResultPtr result, const Json& document, const Catalog& catalog, const FileReader& readFile,
                         const RunControl& control = {});

} // namespace orrery
