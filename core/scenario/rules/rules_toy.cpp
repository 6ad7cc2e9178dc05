// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules.hpp"

namespace orrery {

void checkToyRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    for (const char* key : {"tensor", "context", "expert", "expert_tensor"}) {
        const std::string pointer = std::string("/parallelism/") + key;
        if (document.integer(pointer, 1) <= 1) continue;
        problems.push_back(error("toy-not-split", pointer, "A toy's layers are whole: they have stated times and no matrices, heads or experts that " + std::string(key) + " ranks could share.")
                               .mend("Use 1.")
                               .edit(pointer, 1));
    }
    const Json* layers = document.find("/model/toy/stages_layers");
    if (!layers || !layers->is_array() || std::int64_t(layers->size()) == plan.chunks()) return;
    problems.push_back(error("toy-stages", "/model/toy/stages_layers",
                             "The toy lists " + counted(std::int64_t(layers->size()), "chunk") + " of layers, and the plan has " + counted(plan.chunks(), "chunk") + " (stages × chunks of a stage).")
                           .mend("Give a number for each chunk, or the number of all layers."));
}

} // namespace orrery
