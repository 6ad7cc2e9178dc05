// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/reader/reader.hpp"

#include <memory>
#include <optional>
#include <string>

namespace orrery {

class Catalog; // core/catalog

inline constexpr const char* measuredProfileFormat = "orrery-profile/1";

/// A profile file's text, checked: its form, its names, its ranges. Nothing after a problem, each of which points at `pointer`, where the scenario names
/// the file, and says where in the file the fault is.
std::optional<Json> readMeasuredProfile(const std::string& text, const std::string& fileName, const std::string& pointer, Problems& problems);

/// The document with what its profile file describes in the place of an accelerator that it names by the id there. Nothing where the catalogue knows the
/// accelerator, where it stands as an object, or where no readable profile describes it.
std::optional<Json> withDescribedMachine(const Json& document, const Catalog& catalog, const FileReader& readFile);

/// Fills `execution.calibration` with the constants of the file that `execution.profile` names, where the scenario does not state them. Constants of
/// another accelerator, or of another framework profile, are left out with a warning.
void fillFromMeasuredProfile(FilledDocument& document, const std::string& accelerator, const std::string& framework, const FileReader& readFile, Problems& problems);

/// The profile that `execution.framework` names, or that it gives as an object with the catalogue's fields (core/catalog/listed_entries.hpp),
/// over the entry of that id: what the object states replaces that and nothing else. With an unknown id or none the generic profile is
/// what lies under it. Fills the newest generic one in where none is given. Null after a problem.
std::shared_ptr<const FrameworkProfile> readFramework(FilledDocument& document, const Catalog& catalog, Problems& problems);

/// Fills in the profile of `execution.framework_version` ("vllm 0.19.0") where no framework is named and one stands for that release.
void fillFrameworkOfVersion(FilledDocument& document, const Catalog& catalog);

/// The last release that a profile stands for, "26.06"; empty where it states none, or goes up to today's.
std::string lastReleaseOf(const FrameworkProfile& profile, const Catalog& catalog);

} // namespace orrery
