#pragma once

#include "core/base/problem.hpp"
#include "core/scenario/filled_document.hpp"

namespace orrery {

class Catalog; // core/catalog

/// The profile that `/execution/framework` names, or the newest generic one, which is then noted as assumed.
/// Null, with a problem, when the catalogue has none of that name.
const FrameworkProfile* chooseFramework(FilledDocument& document, const Catalog& catalog, Problems& problems);

/// Fills what a training scenario leaves out: the profile's defaults first, then the contract's.
void fillDefaults(FilledDocument& document, const FrameworkProfile& profile);

} // namespace orrery
