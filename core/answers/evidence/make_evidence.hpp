// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/evidence.hpp"
#include "core/answers/validation/validate.hpp"
#include "core/base/json_forward.hpp"
#include "core/scenario/reader/reader.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Predicted values by case id and metric.
using PredictedValues = std::map<std::pair<std::string, std::string>, double>;

/// Puts together measured cases and what was predicted for them. `leftOut`: by constants fitted without the case's group, where that
/// was done. Numbers are rounded to seven digits. A case that measured nothing but whether it fits is kept for that.
Evidence makeEvidence(const std::vector<MeasuredCase>& cases, const Validation& validation, const PredictedValues& leftOut,
                      const Catalog& catalog, const FileReader& readFile);

/// The predicted values of an `orrery-validation/1` document; a problem when it is none.
PredictedValues predictedValues(const Json& validation, Problems& problems);
PredictedValues predictedValues(const Validation& validation);

} // namespace orrery
