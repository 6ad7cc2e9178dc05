// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"

#include <memory>
#include <string>

namespace orrery {

class Catalog;

/// The profile that `execution.framework` names, or that it gives as an object with the catalogue's fields (core/catalog/listed_entries.hpp),
/// over the entry of that id: what the object states replaces that and nothing else. With an unknown id or none the generic profile is
/// what lies under it. Fills the newest generic one in where none is given. Null after a problem.
std::shared_ptr<const FrameworkProfile> readFramework(FilledDocument& document, const Catalog& catalog, Problems& problems);

/// Fills in the profile of `execution.framework_version` ("vllm 0.19.0") where no framework is named and one stands for that release.
void fillFrameworkOfVersion(FilledDocument& document, const Catalog& catalog);

/// The last release that a profile stands for, "26.06"; empty where it states none, or goes up to today's.
std::string lastReleaseOf(const FrameworkProfile& profile, const Catalog& catalog);

} // namespace orrery
