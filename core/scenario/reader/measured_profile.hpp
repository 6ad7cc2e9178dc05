// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/reader/reader.hpp"

#include <optional>
#include <string>

namespace orrery {

inline constexpr const char* measuredProfileFormat = "orrery-profile/1";

/// A profile file's text, checked: its form, its names, its ranges. Nothing after a problem, each of which points at `pointer`, where the scenario names
/// the file, and says where in the file the fault is.
std::optional<Json> readMeasuredProfile(const std::string& text, const std::string& fileName, const std::string& pointer, Problems& problems);

/// Fills `execution.calibration` with the constants of the file that `execution.profile` names, where the scenario does not state them. Constants of
/// another accelerator, or of another framework profile, are left out with a warning.
void fillFromMeasuredProfile(FilledDocument& document, const std::string& accelerator, const std::string& framework, const FileReader& readFile, Problems& problems);

} // namespace orrery
