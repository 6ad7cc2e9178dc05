// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/edits.hpp"

#include "core/base/json.hpp"

namespace orrery {

Json edited(Json document, const std::vector<ScenarioEdit>& edits) {
    for (const ScenarioEdit& edit : edits) {
        const Json::json_pointer place(edit.pointer);
        if (!edit.value->is_null()) {
            document[place] = edit.value;
        } else if (document.contains(place)) {
            document.at(place.parent_pointer()).erase(place.back());
        }
    }
    return document;
}

} // namespace orrery
