// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// The fewest places in which one document differs from another, with their new values: applied to `base` (applyEdits) they give `changed`,
/// but for the order of keys. A list that grew or shrank is one place. Empty: they are the same.
std::vector<ScenarioEdit> differences(const Json& base, const Json& changed);

/// Whether an edit of a key changes what all variants share, rather than the variant that is looked at: the variants, measures, notes,
/// questions and views.
bool isSharedByVariants(const std::string& pointer);

/// The edits of a variant as its file has them: `{POINTER: value}`.
Json editsObject(const std::vector<ScenarioEdit>& edits);

/// A name that no variant of the document has: the one asked for, else with a number behind it.
std::string freeVariantName(const Json& document, const std::string& asked);

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
