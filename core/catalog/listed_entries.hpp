// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/catalog/framework_profile.hpp"

namespace orrery {

class Catalog;
struct Accelerator;
struct ModelEntry;
struct Platform;

/// Entries as `orrery-cli list --json` prints them and as a scenario takes them back: every field of the file, in the file's units.

Json listedEntry(const Catalog& catalog, const Accelerator& accelerator);
/// A platform made from an accelerator's own fields has no record in a file and is written out likewise.
Json listedEntry(const Catalog& catalog, const Platform& platform);
/// `values` are those in force: constants fitted to measured runs (calibration.json) stand in place of the file's.
Json listedEntry(const Catalog& catalog, const FrameworkProfile& profile);
Json listedEntry(const Catalog& catalog, const ModelEntry& model);

/// A profile of the catalogue with some of its values changed, by their names in frameworks.json or, fitted constants, in
/// fitted_constants.cpp; the others stay as they are. Throws std::exception when a value is of a wrong type or an unknown word.
FrameworkProfile profileWith(const Catalog& catalog, const FrameworkProfile& profile, const Json& values, const Json& defaults);

} // namespace orrery
