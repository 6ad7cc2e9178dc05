// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/measured_profile.hpp"

#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <algorithm>

namespace orrery {

namespace {

constexpr const char* profileAt = "/execution/profile";
constexpr const char* makeAnother = "Make the file anew with `orrery-cli calibrate`, or mend it there.";

const NamedConstant& constantOf(const std::string& name) {
    const std::vector<NamedConstant>& all = namedConstants();
    return *std::find_if(all.begin(), all.end(), [&](const NamedConstant& one) { return one.name == name; }); // the shape knows no other name
}

void warnOfOther(const std::string& message, const char* mend, Problems& problems) { problems.push_back(warning("profile-of-another-machine", profileAt, message).mend(mend).edit(profileAt, nullptr)); }

} // namespace

std::optional<Json> readMeasuredProfile(const std::string& text, const std::string& fileName, const std::string& pointer, Problems& problems) {
    const auto refuse = [&](std::string code, const std::string& what, std::string mend) {
        problems.push_back(error(std::move(code), pointer, fileName + what).mend(std::move(mend)));
        return std::nullopt;
    };
    Problems found;
    std::optional<Json> profile = parseJsonText(text, fileName, found);
    if (!profile || hasErrors(found)) {
        const Problem* first = found.empty() ? nullptr : &found.front();
        return refuse(first ? first->code : "bad-json", first ? (first->line > 0 ? ", line " + std::to_string(first->line) : std::string()) + ": " + first->message : " is not JSON.", makeAnother);
    }
    const Json format = profile->is_object() ? profile->value("format", Json()) : Json();
    if (format != Json(measuredProfileFormat))
        return refuse("unknown-format", format.is_string() ? " has the format " + shown(format) + ", not \"" + measuredProfileFormat + "\"." : std::string(" is no profile: it says no format."), "Name a file that `orrery-cli calibrate --out` wrote.");
    const std::string root = "/profile"; // as messages call the whole of it
    checkShape(*profile, schema::measuredProfileShape(), root, found);
    for (Problem& problem : found) {
        if (problem.severity != Severity::error) continue;
        problem.message = fileName + ", " + problem.pointer + ": " + problem.message;
        problem.pointer = pointer;
        problem.edits.clear();
        if (problem.mend.empty()) problem.mend = makeAnother;
        problems.push_back(std::move(problem));
    }
    if (hasErrors(found)) return std::nullopt;
    return profile;
}

void fillFromMeasuredProfile(FilledDocument& document, const std::string& accelerator, const std::string& framework, const FileReader& readFile, Problems& problems) {
    if (!document.has(profileAt)) return;
    const std::string path = document.text(profileAt);
    std::string reason = "files cannot be read here";
    const auto text = readFile ? readFile(path, reason) : std::nullopt;
    if (!text) {
        problems.push_back(error("file-unreadable", profileAt, "Cannot read " + path + ": " + reason + ".").mend("Name a readable .orrery-profile.json, relative to the scenario."));
        return;
    }
    const std::optional<Json> profile = readMeasuredProfile(*text, path, profileAt, problems);
    if (!profile) return;
    const std::string measuredOn = profile->at("machine").at("accelerator").get<std::string>(), measuredWith = profile->at("software").at("framework").get<std::string>();
    const bool isHere = measuredOn == accelerator, isThis = measuredWith == framework;
    for (const auto& [name, value] : profile->at("constants").items())
        if (constantOf(name).ofMachine != nullptr ? isHere : isThis) document.fill("/execution/calibration/" + name, value, "measured: " + path);
    const char* const mend = "Measure here, or leave the profile out.";
    if (!isHere) warnOfOther(path + " was measured on " + measuredOn + ", and this scenario has " + accelerator + ": its constants of the machine are left out; those of the software may not hold here.", mend, problems);
    if (!isThis) warnOfOther(path + " was measured with " + measuredWith + ", and this scenario has " + framework + ": its constants of the software are left out.", mend, problems);
}

} // namespace orrery
