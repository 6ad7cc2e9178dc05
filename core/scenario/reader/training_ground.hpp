// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/plan_numbers.hpp"
#include "core/scenario/reader/model_reader.hpp"

#include <memory>
#include <optional>

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

/// Fills what a training scenario leaves out: the profile's defaults first, then the contract's.
void fillDefaults(FilledDocument& document, const FrameworkProfile& profile);

/// What a training scenario stands on before anybody looks at whether its plan is sound.
struct TrainingGround {
    FilledDocument filled;                           ///< with all defaults but those that follow from a sound plan
    std::shared_ptr<const FrameworkProfile> profile; ///< null: there is a problem with it, as with the others
    std::optional<NamedModel> model;
    std::optional<Cluster> cluster;
};

/// `document` keeps to the schema.
TrainingGround readGround(const Json& document, const Catalog& catalog, const FileReader& readFile, Problems& problems);

/// The plan's numbers, which its rules look at; `profile`: null while there is a problem with it.
PlanNumbers numbersOf(const FilledDocument& document, const std::optional<NamedModel>& model, const Cluster& cluster, const FrameworkProfile* profile);

} // namespace orrery
