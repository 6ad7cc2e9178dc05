// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/catalog/kernel_constants.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Constants by name (`FittedConstants`), in the unit that the name states.
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

/// One constant that may be fitted to measured runs. Its prior is what the rest of the catalogue says.
template <typename Owner>
struct FittedConstant {
    const char* name; ///< in files; ends in its unit where it has one
    const char* unit; ///< "1", "us", "s"
    double scale;     ///< that unit in base units
    double low, high; ///< what is physically possible, in that unit
    double spread;    ///< how far the fit expects it from its prior: standard deviation of its logarithm
    /// The catalogue knows a value of this for each machine or profile: the pooled value is a ratio to that, and where it is zero
    /// (nothing of the kind happens) it stays zero.
    bool ofCatalogue;
    bool pooled; ///< the fitted ones' middle stands in where none is fitted; false: one stack's says nothing of another's
    const char* meaning;
    double Owner::*member;
    /// A constant of the same hardware at other work: where that one is fitted and this is not, this stands to it as in the fitted ones' middle.
    double Owner::*kin = nullptr;
};

/// At most this many; those of a generation are shared by all groups of measured runs on it.
inline constexpr std::size_t mostGenerationConstants = 12;
inline constexpr std::size_t mostProfileConstants = 4;
inline constexpr std::size_t mostServingConstants = 4;

/// To add one: a row there, a member here (KernelConstants, FrameworkProfile or ServingProfile).
const std::vector<FittedConstant<KernelConstants>>& generationConstants();
const std::vector<FittedConstant<FrameworkProfile>>& profileConstants();
/// What a fit to measured batches and served requests may move of a profile. The shipped profiles state these by reason.
const std::vector<FittedConstant<ServingProfile>>& servingConstants();

/// Null when there is none of that name.
const FittedConstant<KernelConstants>* generationConstant(std::string_view name);
const FittedConstant<FrameworkProfile>* profileConstant(std::string_view name);

/// Puts the fitted constants over those of the catalogue and notes in `fitted` which those are.
void calibrate(KernelConstants& constants, const Calibration& calibration);
void calibrate(FrameworkProfile& profile, const Calibration& calibration);

} // namespace orrery
