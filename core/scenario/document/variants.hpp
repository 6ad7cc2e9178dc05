// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A named list of changes to the scenario that holds it.
struct ScenarioVariant {
    std::string name;
    std::vector<ScenarioEdit> edits; ///< in the document's order
};

/// The variants of a scenario document, in its order; those that are not written as the schema says are left out.
std::vector<ScenarioVariant> variantsOf(const Json& document);

/// The scenario that one variant of a document is: its edits made, its name added to the scenario's ("Llama · t 4"). Nothing, with a problem
/// that names the nearest variant or the edit that leads nowhere.
std::optional<BoxedJson> documentOfVariant(const Json& document, const std::string& name, Problems& problems);

/// Names that stand twice, and edits that nothing can be changed by.
void checkVariants(const Json& document, Problems& problems);

} // namespace orrery
