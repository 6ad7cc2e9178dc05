// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/catalog/records.hpp"
#include "core/catalog/technology.hpp"

#include <algorithm>
#include <optional>

namespace orrery {
namespace {

using TextOf = std::function<std::string_view(std::string_view)>;

/// Calls `read` with each record of the list `key` in a catalogue file; what goes wrong names the file and the record.
template <typename Read>
void forEachRecord(const TextOf& text, const std::string& file, const char* key, Read read) {
    std::string record = "the file";
    try {
        Json document = Json::parse(text(file));
        record = key;
        std::size_t index = 0;
        for (Json& entry : document.at(key)) {
            record = std::string(key) + "[" + std::to_string(index++) + "]";
            read(entry);
        }
    } catch (const std::exception& error) {
        throw std::runtime_error("catalogue " + file + ", " + record + ": " + error.what());
    }
}

template <typename Record>
const Record* byId(const std::vector<Record>& list, std::string_view id) {
    const auto found = std::find_if(list.begin(), list.end(), [id](const Record& record) { return record.id == id; });
    return found == list.end() ? nullptr : &*found;
}

/// What each value of kernels.json may be.
Json rangesOfKernels(const TextOf& text) {
    try {
        return Json::parse(text("kernels.json")).at("ranges");
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string("catalogue kernels.json, ranges: ") + error.what());
    }
}

std::string recordKey(std::string_view list, std::string_view id) { return std::string(list) + '/' + std::string(id); }

/// A profile's record with what it takes over from the elder one that its `like` names: defaults and values that it does not state.
Json withElder(const Json& record, const std::map<std::string, std::string, std::less<>>& listed) {
    const auto like = record.find("like");
    if (like == record.end()) return record;
    const auto elder = listed.find(recordKey("frameworks", like->get<std::string>()));
    if (elder == listed.end()) throw std::runtime_error("like: no profile " + like->get<std::string>() + " stands before this one");
    const Json known = Json::parse(elder->second);
    Json whole = record;
    whole.erase("like"); // what it took over stands in it now
    for (const char* part : {"defaults", "values"}) {
        whole[part] = known.at(part);
        if (record.contains(part)) whole[part].merge_patch(record.at(part));
    }
    return whole;
}

} // namespace

Catalog Catalog::fromText(const TextOf& text) {
    Catalog catalog;
    std::map<std::string, std::string, std::less<>> listed;
    const auto keep = [&listed](const char* list, const Json& record) { listed[recordKey(list, record.at("id").get<std::string>())] = record.dump(); };
    forEachRecord(text, "accelerators.json", "accelerators", [&](const Json& record) {
        Problems problems;
        std::optional<Accelerator> accelerator = readAccelerator(record, "", problems);
        if (!accelerator) throw std::runtime_error(problems.front().message);
        catalog.accelerators_.push_back(std::move(*accelerator));
        keep("accelerators", record);
    });
    catalog.physics_ = PhysicsConstants::fromText(text("physics.json"));
    forEachRecord(text, "platforms.json", "platforms", [&](const Json& record) {
        catalog.platforms_.push_back(records::platform(record));
        if (!catalog.accelerator(catalog.platforms_.back().accelerator)) throw std::runtime_error("unknown accelerator");
        keep("platforms", record);
    });
    for (const Accelerator& accelerator : catalog.accelerators_)
        if (!catalog.usualPlatform(accelerator.id)) catalog.platforms_.push_back(records::conservativePlatform(accelerator, catalog.physics_));
    forEachRecord(text, "models.json", "models", [&](Json& record) {
        ModelEntry entry;
        entry.id = record.at("id").get<std::string>();
        entry.name = record.at("name").get<std::string>();
        entry.citation = records::citation(record);
        entry.config = std::move(record.at("config"));
        catalog.models_.push_back(std::move(entry));
    });
    forEachRecord(text, "frameworks.json", "frameworks", [&](const Json& record) {
        const Json whole = withElder(record, listed);
        catalog.plainFrameworks_.push_back(records::framework(whole));
        keep("frameworks", whole);
    });
    const Technology technology = Technology::fromText(text("technology.json"));
    for (const TechnologyAnchor& anchor : technology.anchors())
        if (!catalog.accelerator(anchor.accelerator)) throw std::runtime_error("catalogue technology.json: unknown accelerator " + anchor.accelerator);
    listed[recordKey("technology", "constants")] = text("technology.json");
    catalog.records_ = std::make_shared<const std::map<std::string, std::string, std::less<>>>(std::move(listed));
    if (catalog.plainFrameworks_.empty()) throw std::runtime_error("catalogue frameworks.json: no profile");
    catalog.recipes_ = RecipeSet::fromText(text("recipes.json"));
    for (const RecipeSet& set : catalog.recipes_)
        for (const Recipe& recipe : set.recipes)
            if (!catalog.accelerator(recipe.accelerator)) throw std::runtime_error("catalogue recipes.json: unknown accelerator " + recipe.accelerator);
    catalog.library_ = LibraryCatalog::fromText(text("collectives.json"));
    const Json ranges = rangesOfKernels(text);
    std::optional<KernelConstants> fallback;
    forEachRecord(text, "kernels.json", "kernels", [&](const Json& record) {
        if (record.at("accelerator") != "default") return;
        fallback = records::defaultKernels(record, ranges);
        fallback->physics = catalog.physics_;
    });
    if (!fallback) throw std::runtime_error("catalogue kernels.json: no entry \"default\"");
    forEachRecord(text, "kernels.json", "kernels", [&](const Json& record) {
        catalog.kernels_.push_back(records::kernels(record, *fallback, ranges));
        const auto relatives = record.find("stands_for");
        if (relatives == record.end()) return;
        for (const Json& relative : *relatives)
            catalog.standIns_[relative.get<std::string>()] = catalog.kernels_.back().accelerator;
    });
    return catalog.withCalibration(Calibration::fromText(text("calibration.json")));
}

Catalog Catalog::withCalibration(Calibration calibration) const {
    Catalog catalog = *this;
    catalog.calibration_ = std::move(calibration);
    catalog.frameworks_ = catalog.plainFrameworks_;
    for (FrameworkProfile& profile : catalog.frameworks_) calibrate(profile, catalog.calibration_);
    return catalog;
}

const Accelerator* Catalog::accelerator(std::string_view id) const { return byId(accelerators_, id); }
const Platform* Catalog::platform(std::string_view id) const { return byId(platforms_, id); }
const ModelEntry* Catalog::model(std::string_view id) const { return byId(models_, id); }
const FrameworkProfile* Catalog::framework(std::string_view id) const { return byId(frameworks_, id); }

const std::string* Catalog::record(std::string_view list, std::string_view id) const {
    if (!records_) return nullptr;
    const auto found = records_->find(recordKey(list, id));
    return found == records_->end() ? nullptr : &found->second;
}

const Platform* Catalog::usualPlatform(std::string_view acceleratorId) const {
    const auto found = std::find_if(platforms_.begin(), platforms_.end(), [acceleratorId](const Platform& platform) {
        return platform.usual && platform.accelerator == acceleratorId;
    });
    return found == platforms_.end() ? nullptr : &*found;
}

const FrameworkProfile& Catalog::newestFramework() const {
    // The generic profile: what stands for no product; the newest of those.
    const FrameworkProfile* newest = nullptr;
    for (const FrameworkProfile& profile : frameworks_)
        if (profile.id.rfind("generic", 0) == 0 && (!newest || profile.year > newest->year)) newest = &profile;
    return newest ? *newest : frameworks_.back();
}

} // namespace orrery
