// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/framework_profile.hpp"
#include "core/scenario/document/filled_document.hpp"

namespace orrery {

class Catalog;

/// What the publisher of the profile's software sets for this model, accelerator and number format in a performance recipe of its own
/// (Catalog::recipes): filled in where the scenario leaves it out, before the profile's defaults. Nothing where no recipe is known.
void fillRecipe(FilledDocument& document, const FrameworkProfile& profile, const Catalog& catalog, const Architecture& model, const std::string& accelerator,
                int accelerators);

/// How the profile's software brings tokens to experts and multiplies there, for a model that has some. Without a cluster: as on one host.
void fillExpertDefaults(FilledDocument& document, const FrameworkProfile& profile, const Experts& experts, const Cluster* cluster);

/// Whether ranks that share a layer's matrices share each expert's unless they are told otherwise (`experts_as_layers` of its defaults).
bool sharesExpertsAsLayers(const FrameworkProfile& profile);

/// Puts into the profile what the document says of both.
void applyExpertRecipe(const FilledDocument& document, FrameworkProfile& profile);

} // namespace orrery
