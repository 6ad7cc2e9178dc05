// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/as_drawn.hpp"

#include "core/base/json.hpp"

namespace orrery {

AsDrawn::Work AsDrawn::workOf(const Json& document, bool& supposes) {
    Json bare = document;
    supposes = false;
    const auto erase = [&bare](const char* parent, const char* key) {
        const Json::json_pointer place(parent);
        if (!bare.is_object() || !bare.contains(place) || !bare.at(place).is_object()) return false;
        return bare.at(place).erase(key) > 0;
    };
    for (const char* key : {"degraded_links", "stragglers"}) supposes = erase("/execution", key) || supposes;
    supposes = erase("/cluster/topology", "traffic") || supposes;
    for (const char* key : {"name", "notes", "view"}) erase("", key);
    // An empty section says no more than none.
    const auto execution = bare.is_object() ? bare.find("execution") : bare.end();
    if (bare.is_object() && execution != bare.end() && execution->is_object() && execution->empty()) bare.erase("execution");
    Work work;
    work.whole = bare.dump(-1, ' ', false, Json::error_handler_t::replace);
    work.drawn = bare.is_object() && bare.contains(Json::json_pointer("/cluster/topology"));
    if (bare.is_object()) bare.erase("cluster");
    work.besideCluster = bare.dump(-1, ' ', false, Json::error_handler_t::replace);
    return work;
}

/// A cluster in its short form is drawn out when something of it is supposed: that alone is no change.
bool AsDrawn::isSame(const Work& before, const Work& now) {
    return !before.drawn && now.drawn ? before.besideCluster == now.besideCluster : before.whole == now.whole;
}

void AsDrawn::take(const Json& document, const ResultPtr& result) {
    Work work = workOf(document, supposes_);
    if (!supposes_) {
        work_ = std::move(work);
        result_ = result;
    } else if (!isSame(work_, work)) {
        result_.reset(); // something else changed as well: a comparison would mix the two
    }
}

} // namespace orrery
