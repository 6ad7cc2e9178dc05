// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Constants by name (core/catalog/fitted_constants.hpp), in the unit that the name states.
using ConstantValues = std::map<std::string, double, std::less<>>;

/// What was fitted for one generation of accelerators or one framework profile.
struct CalibrationEntry {
    std::string id;
    std::vector<std::string> accelerators; ///< of a generation: ids of the catalogue
    ConstantValues constants;              ///< one that is left out takes the pooled value
    int cases = 0;                         ///< measured runs behind them
};

/// Constants fitted to measured runs: resources/catalog/calibration.json, or what a fit is trying. They lie over what the rest of
/// the catalogue says: an entry's own value, else the pooled one, else the catalogue's.
struct Calibration {
    std::vector<CalibrationEntry> generations;
    std::vector<CalibrationEntry> profiles;
    ConstantValues pooledGeneration; ///< for generations without a value of their own; of some constants a ratio, see FittedConstant
    ConstantValues pooledProfile;

    const CalibrationEntry* generationOf(std::string_view accelerator) const;
    const CalibrationEntry* profile(std::string_view id) const;

    /// Reads `orrery-calibration/1`. Throws std::runtime_error that names entry and constant when the text is malformed: an unknown
    /// constant, a value out of its range, an accelerator in two generations.
    static Calibration fromText(std::string_view text);
};

/// The file, as `fromText` reads it.
Json toJson(const Calibration& calibration);

} // namespace orrery
