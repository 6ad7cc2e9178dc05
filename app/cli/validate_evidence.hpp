// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.hpp"
#include "core/answers/evidence/error_tables.hpp"
#include "core/answers/validation/validate.hpp"
#include "core/base/json_forward.hpp"
#include "core/scenario/reader/reader.hpp"

#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// How well error bars made of a validation's own runs cover those runs.
using EvidenceCoverage = std::vector<std::pair<ErrorOf, Coverage>>;

/// Whether `--evidence` or `--coverage` was asked for.
bool wantsEvidence(const ValidateOptions& options);

/// Problems when a file is wrong or cannot be written; without coverage where it was not asked for.
struct EvidenceWork {
    std::optional<EvidenceCoverage> coverage;
    Problems problems;
};

/// Writes the evidence and judges its error bars, as asked for. `shipped`: predictions by the shipped constants; `leftOut`: by constants
/// fitted without each case's group, null unless that was done; those of the files of `--left-out` fill in for it.
EvidenceWork workOnEvidence(const ValidateOptions& options, const std::vector<MeasuredCase>& cases, const Validation& shipped, const Validation* leftOut,
                            const Catalog& catalog, const FileReader& readFile);

Json toJson(const EvidenceCoverage& coverage);
void printCoverage(const EvidenceCoverage& coverage, std::ostream& out);

} // namespace orrery
