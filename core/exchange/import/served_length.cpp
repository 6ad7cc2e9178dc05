// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/served_length.hpp"

#include "core/base/json.hpp"

#include <string>
#include <variant>

namespace orrery {

void stateContextLength(Json& document, const Scenario& read, Problems& notes) {
    const auto* served = std::get_if<ServingWorkload>(&read.workload);
    const Json::json_pointer at("/workload/engine/max_model_len");
    if (!served || read.execution.profile.line != "vllm" || document.contains(at) || read.model.maxPositions <= 0) return;
    document[at] = read.model.maxPositions;
    Problem note;
    note.severity = Severity::note;
    note.code = "assumed";
    note.pointer = at.to_string();
    note.message = std::to_string(read.model.maxPositions) + " was taken: without --max-model-len vLLM serves all the model's positions, or does not start.";
    note.mend = "Say a shorter one where the cache is small.";
    notes.push_back(std::move(note));
}

} // namespace orrery
