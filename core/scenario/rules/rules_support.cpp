// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/rules/rules.hpp"

#include <functional>
#include <string_view>

namespace orrery {

namespace {

/// A key whose value asks for something that is not there yet.
struct Limit {
    const char* pointer;
    std::function<bool(const Json&)> beyond;
    std::string what;    ///< "Context parallelism"
    std::string wouldDo; ///< "Use context 1."
    Json instead;        ///< what the mend puts there; null removes the key
};

bool moreThanOne(const Json& value) { return value.is_number() && value.get<double>() > 1; }

std::function<bool(const Json&)> noneOf(std::vector<std::string> words) {
    return [words = std::move(words)](const Json& value) {
        if (!value.is_string()) return false;
        for (const std::string& word : words)
            if (value.get_ref<const std::string&>() == word) return false;
        return true;
    };
}

/// Null, false, 0 and empty containers of the what-ifs mean that nothing is asked for.
bool asksForSomething(const Json& value) {
    if (value.is_null() || value == Json(false)) return false;
    if (value.is_number()) return value.get<double>() != 0;
    return !(value.is_structured() && value.empty());
}

const std::vector<Limit>& trainingLimits() {
    static const std::vector<Limit> limits{
        {"/workload/precision", noneOf(precisionWords(PrecisionUse::training)), "Training in this precision", "Use bf16.", wordOf(Precision::bf16)},
        {"/parallelism/attention_data", moreThanOne, "Data-parallel attention in training", "Leave it out.", nullptr},
        {"/beside", asksForSomething, "A training iteration with other jobs beside it", "Put the training job beside a serving scenario, or leave it out.", nullptr},
        {"/hybrid", asksForSomething, "Replaying recorded ranks", "Leave hybrid out.", nullptr},
    };
    return limits;
}

} // namespace

void refuseUnsupported(const Json& document, Problems& problems) {
    const Json* kind = valueAt(document, "/workload/kind");
    const bool trains = !kind || *kind == Json(wordOf(WorkloadKind::training));
    for (const Limit& limit : trainingLimits()) {
        if (!trains && std::string_view(limit.pointer) != "/hybrid") continue;
        const Json* value = valueAt(document, limit.pointer);
        if (!value || !limit.beyond(*value)) continue;
        const bool tellsValue = value->is_string() || value->is_number();
        problems.push_back(error("not-supported-yet", limit.pointer,
                                 limit.what + (tellsValue ? " (" + shown(*value) + ")" : "") + " is not supported yet.")
                               .mend(limit.wouldDo)
                               .edit(limit.pointer, limit.instead));
    }
}

} // namespace orrery
