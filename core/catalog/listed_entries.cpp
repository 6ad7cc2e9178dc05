// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/listed_entries.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/catalog/platform.hpp"
#include "core/catalog/records.hpp"

namespace orrery {
namespace {

Json recordOf(const Catalog& catalog, const char* list, const std::string& id) {
    const std::string* text = catalog.record(list, id);
    return text ? Json::parse(*text) : Json::object();
}

void addCitation(Json& entry, const Citation& citation) {
    entry["source"] = citation.source;
    entry["from_memory"] = citation.fromMemory;
    entry.erase("url");
    if (!citation.url.empty()) entry["source_url"] = citation.url;
}

} // namespace

Json listedEntry(const Catalog& catalog, const Accelerator& accelerator) {
    Json entry = recordOf(catalog, "accelerators", accelerator.id);
    entry["memory_bytes"] = accelerator.memoryBytes;
    addCitation(entry, accelerator.citation);
    return entry;
}

Json listedEntry(const Catalog& catalog, const Platform& platform) {
    Json entry = recordOf(catalog, "platforms", platform.id);
    entry["id"] = platform.id;
    entry["name"] = platform.name;
    entry["accelerator"] = platform.accelerator;
    entry["accelerators_per_node"] = platform.acceleratorsPerNode;
    entry["scale_up"] = Json{{"bandwidth_gb_s", inUnit(platform.scaleUpBandwidth, units::gigabyte)},
                             {"latency_us", inUnit(platform.scaleUpLatency, units::microsecond)},
                             {"domain_size", platform.scaleUpDomain}};
    entry["scale_out"] = Json{{"bandwidth_gb_s", inUnit(platform.scaleOutBandwidth, units::gigabyte)},
                              {"latency_us", inUnit(platform.scaleOutLatency, units::microsecond)}};
    entry["usual"] = platform.usual;
    addCitation(entry, platform.citation);
    return entry;
}

Json listedEntry(const Catalog& catalog, const FrameworkProfile& profile) {
    Json entry = recordOf(catalog, "frameworks", profile.id);
    const CalibrationEntry* fitted = catalog.calibration().profile(profile.id);
    for (const FittedConstant<FrameworkProfile>& constant : profileConstants()) {
        if (profile.fitted.count(constant.name) == 0) continue;
        double value = inUnit(profile.*constant.member, constant.scale);
        if (fitted)
            if (const auto own = fitted->constants.find(constant.name); own != fitted->constants.end()) value = own->second;
        entry["values"][constant.name] = Json{{"value", value}, {"source", profile.sources.at(constant.name)}};
    }
    addCitation(entry, profile.citation);
    return entry;
}

FrameworkProfile profileWith(const Catalog& catalog, const FrameworkProfile& profile, const Json& values, const Json& defaults) {
    const char* source = "the scenario";
    Json record = recordOf(catalog, "frameworks", profile.id);
    for (const auto& [key, value] : values.items()) record["values"][key] = Json{{"value", value}, {"source", source}};
    record["defaults"] = defaults;
    FrameworkProfile changed = records::framework(record);
    calibrate(changed, catalog.calibration());
    for (const FittedConstant<FrameworkProfile>& constant : profileConstants()) {
        if (!values.contains(constant.name)) continue;
        changed.*constant.member = values.at(constant.name).get<double>() * constant.scale;
        changed.sources[constant.name] = source;
        changed.fitted.erase(constant.name);
    }
    return changed;
}

Json listedEntry(const Catalog&, const ModelEntry& model) {
    Json entry{{"id", model.id}, {"name", model.name}, {"config", *model.config}};
    addCitation(entry, model.citation);
    return entry;
}

} // namespace orrery
