// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

/// A constant that `execution.calibration` and a profile file may name: one of the machine's, of the framework profile's, or of what that does beside
/// the kernels when it serves.
struct NamedConstant {
    const char* name;
    double scale;     ///< the name's unit in base units
    double low, high; ///< in the name's unit; 0 itself is never allowed
    const char* meaning;
    double KernelConstants::*ofMachine = nullptr;
    double FrameworkProfile::*ofProfile = nullptr;
    double ServingProfile::*ofServing = nullptr;
};

/// Rates of kernels.json first, then what is fitted to measured runs (core/catalog/fitted_constants.hpp).
const std::vector<NamedConstant>& namedConstants();

/// Puts values measured on that very machine, by name, over what the catalogue says.
void applyCalibration(const std::map<std::string, double>& values, KernelConstants& constants, FrameworkProfile& profile);

/// The accelerator's constants and the profile's for a scenario: the catalogue's under what the scenario measured itself. What
/// comes from a relative of the accelerator, or from other generations or profiles, is noted as assumed.
KernelConstants readConstants(FilledDocument& document, KernelConstants constants, Execution& execution);

} // namespace orrery
