// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/made_by.hpp"

#include "core/base/json.hpp"
#include "resources/program_version.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

/// Forms whose keys their readers hold to a list, and the contract's error document.
constexpr std::array<std::string_view, 5> formsAsTheyAre{"orrery-error/1", "orrery-lesson/1", "orrery-profile/1", "orrery-scenario/1", "orrery-study/1"};

} // namespace

Json madeBy() {
    const ProgramVersion& is = programVersion();
    return {{"program", "orrery"}, {"version", is.version}, {"commit", is.commit}, {"catalogue", is.catalogue}};
}

Json withMaker(Json document) {
    if (!document.is_object()) return document;
    const auto format = document.find("format");
    if (format == document.end() || !format->is_string()) return document;
    if (std::find(formsAsTheyAre.begin(), formsAsTheyAre.end(), format->get_ref<const std::string&>()) != formsAsTheyAre.end()) return document;
    Json stamped = Json::object();
    for (auto& [key, value] : document.items()) {
        stamped[key] = std::move(value);
        if (key == "format") stamped["made_by"] = madeBy();
    }
    return stamped;
}

std::string chromeTraceText(const Timeline& timeline) {
    std::ostringstream trace;
    trace << "{\"otherData\":" << madeBy().dump() << ',';
    std::ostringstream rest;
    writeChromeTrace(timeline, rest);
    trace << std::string_view(rest.view()).substr(1); // its own opening brace
    return trace.str();
}

} // namespace orrery
