// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/framework_reader.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/catalog/listed_entries.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/document/named_files.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

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

std::optional<Json> withDescribedMachine(const Json& document, const Catalog& catalog, const FileReader& readFile) {
    const Json::json_pointer namedAt(profileAt), acceleratorAt("/cluster/accelerator");
    if (!readFile || !document.is_object() || !document.contains(namedAt) || !document.contains(acceleratorAt)) return std::nullopt;
    const Json &file = document.at(namedAt), &accelerator = document.at(acceleratorAt);
    if (!file.is_string() || !accelerator.is_string() || catalog.accelerator(accelerator.get_ref<const std::string&>())) return std::nullopt;
    std::string reason;
    Problems unread; // said where the file is read for its constants
    const auto text = readFile(file.get<std::string>(), reason);
    const std::optional<Json> profile = text ? readMeasuredProfile(*text, file.get<std::string>(), profileAt, unread) : std::nullopt;
    if (!profile || !profile->at("machine").contains("described") || profile->at("machine").at("accelerator") != accelerator) return std::nullopt;
    Json filled = document;
    filled[acceleratorAt] = profile->at("machine").at("described");
    filled[acceleratorAt]["id"] = accelerator;
    return filled;
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

namespace {

constexpr const char* frameworkAt = "/execution/framework";
constexpr const char* versionAt = "/execution/framework_version";
constexpr double mostOfAValue = 1e15;

/// Every value that some profile of the catalogue has, with one as an example of its type.
Json knownValues(const Catalog& catalog) {
    Json known = Json::object();
    for (const FrameworkProfile& profile : catalog.frameworks()) {
        const Json entry = listedEntry(catalog, profile);
        for (const auto& [key, value] : entry.at("values").items()) known.emplace(key, Json(value.at("value")));
    }
    for (const FittedConstant<FrameworkProfile>& constant : profileConstants()) known.emplace(constant.name, Json(constant.low));
    return known;
}

class FrameworkObject {
public:
    FrameworkObject(const Json& object, const Catalog& catalog, Problems& problems) : object_(object), catalog_(catalog), problems_(problems) {}

    std::shared_ptr<const FrameworkProfile> read() {
        const std::string id = object_.value("id", std::string("custom"));
        const FrameworkProfile* listed = catalog_.framework(id);
        const FrameworkProfile& under = listed ? *listed : catalog_.newestFramework();
        const Json entry = listedEntry(catalog_, under);
        Json changed = Json::object();
        const Json values = object_.value("values", Json::object());
        for (const auto& [key, given] : values.items()) {
            const Json& value = given.is_object() && given.contains("value") ? given.at("value") : given;
            if (entry.at("values").contains(key) && entry.at("values").at(key).at("value") == value) continue;
            if (checkValue(key, value)) changed[key] = value;
        }
        const Json& defaults = object_.contains("defaults") ? object_.at("defaults") : entry.at("defaults");
        const bool ownDefaults = defaults != entry.at("defaults");
        if (ownDefaults) checkDefaults(defaults);
        if (hasErrors(problems_)) return nullptr;
        if (listed && changed.empty() && !ownDefaults) return {std::shared_ptr<void>(), listed};
        return changedProfile(under, id, changed, defaults);
    }

private:
    static std::string at(const std::string& key) { return below(std::string(frameworkAt) + "/values", key); }

    bool checkValue(const std::string& key, const Json& value) {
        if (known_.empty()) known_ = knownValues(catalog_);
        if (!known_.contains(key)) {
            std::vector<std::string> keys;
            for (const auto& [name, example] : known_.items()) keys.push_back(name);
            const auto near = nearestWord(key, keys);
            problems_.push_back(error("unknown-key", at(key), "No framework profile has a value \"" + key + "\"" + (near ? "; the nearest is \"" + near->word + "\"." : "."))
                                    .mend("Name it as orrery-cli list frameworks does, or remove it.")
                                    .edit(at(key), nullptr));
            return false;
        }
        const Json& example = known_.at(key);
        const bool sameType = example.is_number() ? value.is_number() : value.type() == example.type();
        if (!sameType) {
            problems_.push_back(error("wrong-type", at(key), "`" + key + "` is " + shown(value) + "; a value such as " + shown(example) + " is expected.")
                                    .mend("Give one of that type."));
            return false;
        }
        if (!value.is_number()) return true;
        const FittedConstant<FrameworkProfile>* constant = profileConstant(key);
        const double least = constant ? constant->low : 0, most = constant ? constant->high : mostOfAValue, number = value.get<double>();
        if (number >= least && number <= most) return true;
        problems_.push_back(error("out-of-range", at(key), "`" + key + "` must be from " + formatNumber(least) + " to " + formatNumber(most) + ", but is " + shown(value) + ".")
                                .mend("Give a number in that range."));
        return false;
    }

    /// A fragment of a scenario: what is there must be what a scenario may have there.
    void checkDefaults(const Json& defaults) {
        const std::string pointer = std::string(frameworkAt) + "/defaults";
        constexpr const char* conditional[]{"fine_tuning", "calibrated_weights", "without_graphs"}; // fragments of their own
        constexpr const char* follows = "experts_as_layers";
        const auto check = [&](Json fragment, const std::string& where) {
            if (fragment.is_object())
                for (const char* key : conditional) fragment.erase(key);
            if (fragment.is_object()) fragment.erase(follows);
            Problems found;
            checkShape(fragment, scenarioShape(), where, found);
            for (Problem& problem : found)
                if (problem.code != "missing-key") problems_.push_back(std::move(problem));
        };
        check(defaults, pointer);
        for (const char* key : conditional)
            if (defaults.is_object() && defaults.contains(key)) check(defaults.at(key), pointer + "/" + key);
    }

    std::shared_ptr<const FrameworkProfile> changedProfile(const FrameworkProfile& under, const std::string& id, const Json& changed, const Json& defaults) {
        try {
            FrameworkProfile profile = profileWith(catalog_, under, changed, defaults);
            profile.id = id;
            profile.name = object_.value("name", under.name);
            return std::make_shared<const FrameworkProfile>(std::move(profile));
        } catch (const std::exception& fault) {
            problems_.push_back(error("unknown-value", frameworkAt, std::string("The framework profile can't be read: ") + fault.what() + ".")
                                    .mend("Write its values as orrery-cli list frameworks --json does."));
            return nullptr;
        }
    }

    const Json& object_;
    const Catalog& catalog_;
    Problems& problems_;
    Json known_;
};

/// The software that a version names in front of its numbers, in small letters: "vLLM 0.19.0" is of "vllm".
std::string softwareOf(std::string_view version) {
    std::string name;
    for (const char c : version) {
        if (std::isdigit(static_cast<unsigned char>(c)) || (std::isspace(static_cast<unsigned char>(c)) && !name.empty())) break;
        name += lowered(c);
    }
    return name == "v" ? std::string() : name;
}

/// What its record in the catalogue says of a profile's releases.
struct ReleasesOf {
    std::string software, from, to; ///< empty: none are stated; up to today's

    ReleasesOf(const Catalog& catalog, const FrameworkProfile& profile) {
        const std::string* record = catalog.record("frameworks", profile.id);
        if (!record) return;
        const Json entry = Json::parse(*record);
        const auto releases = entry.find("releases");
        if (releases == entry.end()) return;
        software = releases->at("of").get<std::string>();
        from = releases->at("from").get<std::string>();
        to = releases->value("to", std::string());
    }

    bool hold(const std::vector<int>& version) const {
        const std::vector<int> last = releaseNumbers(to);
        const std::vector<int> upTo(version.begin(), version.begin() + static_cast<std::ptrdiff_t>(std::min(version.size(), last.size())));
        return releaseNumbers(from) <= version && (to.empty() || upTo <= last);
    }
    std::string inWords() const { return to.empty() ? from + " and later" : from + " to " + to; }
};

const FrameworkProfile* profileOfVersion(const Catalog& catalog, const std::string& version) {
    const std::string software = softwareOf(version);
    const std::vector<int> numbers = releaseNumbers(version);
    if (software.empty() || numbers.empty()) return nullptr;
    for (const FrameworkProfile& profile : catalog.frameworks()) {
        const ReleasesOf releases(catalog, profile);
        if (releases.software == software && releases.hold(numbers)) return &profile;
    }
    return nullptr;
}

/// A release that the profile does not stand for runs by what another did.
void checkRelease(const FilledDocument& document, const Catalog& catalog, const FrameworkProfile& profile, Problems& problems) {
    const std::string version = document.text(versionAt), software = softwareOf(version);
    const std::vector<int> numbers = releaseNumbers(version);
    const ReleasesOf releases(catalog, profile);
    if (numbers.empty() || releases.software.empty()) return;
    if ((software.empty() || software == releases.software) && releases.hold(numbers)) return;
    const FrameworkProfile* other = profileOfVersion(catalog, software.empty() ? releases.software + ' ' + version : version);
    Problem problem = warning("release-outside-profile", versionAt, "Profile " + profile.id + " stands for releases " + releases.inWords() + " of " + releases.software + ", not for " + version + ".");
    if (other) problem.edits.push_back({frameworkAt, other->id});
    problem.mend = other ? "Use the profile " + other->id + "." : "Use the profile of that release, if there is one.";
    problems.push_back(std::move(problem));
}

} // namespace

void fillFrameworkOfVersion(FilledDocument& document, const Catalog& catalog) {
    if (document.has(frameworkAt)) return;
    if (const FrameworkProfile* profile = profileOfVersion(catalog, document.text(versionAt)))
        document.fill(frameworkAt, profile->id, "the profile of that release");
}

std::shared_ptr<const FrameworkProfile> readFramework(FilledDocument& document, const Catalog& catalog, Problems& problems) {
    fillFrameworkOfVersion(document, catalog);
    document.fill(frameworkAt, catalog.newestFramework().id, "the newest generic profile");
    const Json given = *document.find(frameworkAt);
    if (given.is_object()) {
        Problems found;
        auto profile = FrameworkObject(given, catalog, found).read();
        problems.insert(problems.end(), found.begin(), found.end());
        return profile;
    }
    const std::string& id = given.get_ref<const std::string&>();
    const FrameworkProfile* profile = catalog.framework(id);
    if (!profile) problems.push_back(unknownEntry("unknown-framework", frameworkAt, "framework profile", id, catalog.frameworks()));
    else checkRelease(document, catalog, *profile, problems);
    return {std::shared_ptr<void>(), profile};
}

std::string lastReleaseOf(const FrameworkProfile& profile, const Catalog& catalog) { return ReleasesOf(catalog, profile).to; }

} // namespace orrery
