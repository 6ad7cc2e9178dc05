// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/plan_numbers.hpp"
#include "core/scenario/reader/model_reader.hpp"

#include <memory>
#include <optional>

namespace orrery {

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
