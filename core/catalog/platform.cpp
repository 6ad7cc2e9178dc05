// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/platform.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/records.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::records {

Citation citation(const Json& record) {
    Citation result;
    const auto text = [&record](const char* key) {
        const auto found = record.find(key);
        return found != record.end() && found->is_string() ? found->get<std::string>() : std::string{};
    };
    result.source = text("source");
    result.url = text("url");
    if (result.url.empty()) result.url = text("source_url");
    const auto fields = record.find("from_memory");
    if (fields != record.end() && fields->is_array())
        for (const Json& field : *fields)
            if (field.is_string()) result.fromMemory.push_back(field.get<std::string>());
    return result;
}

Platform platform(const Json& record) {
    Platform result;
    result.id = record.at("id").get<std::string>();
    result.name = record.at("name").get<std::string>();
    result.accelerator = record.at("accelerator").get<std::string>();
    result.acceleratorsPerNode = record.at("accelerators_per_node").get<int>();
    const Json& up = record.at("scale_up");
    result.scaleUpBandwidth = up.at("bandwidth_gb_s").get<double>() * units::gigabyte;
    result.scaleUpLatency = up.at("latency_us").get<double>() * units::microsecond;
    result.scaleUpDomain = up.at("domain_size").get<int>();
    const Json& out = record.at("scale_out");
    result.scaleOutBandwidth = out.at("bandwidth_gb_s").get<double>() * units::gigabyte;
    result.scaleOutLatency = out.at("latency_us").get<double>() * units::microsecond;
    result.usual = record.at("usual").get<bool>();
    result.notes = record.value("notes", "");
    result.citation = citation(record);
    return result;
}

Platform conservativePlatform(const Accelerator& accelerator, const PhysicsConstants& physics) {
    const int node = static_cast<int>(physics.assumedNodeSize);
    Platform result;
    result.id = accelerator.id + "-node";
    result.name = accelerator.name + " node";
    result.accelerator = accelerator.id;
    result.acceleratorsPerNode = node;
    result.scaleUpDomain = std::max(node, accelerator.scaleUpDomain);
    // A fabric that joins only part of a node (bridges between pairs) leaves the rest to the host link.
    const bool fabric = accelerator.scaleUpBandwidth > 0 && accelerator.scaleUpDomain >= node;
    result.scaleUpBandwidth = fabric ? accelerator.scaleUpBandwidth : accelerator.hostLinkBandwidth;
    if (result.scaleUpBandwidth <= 0) result.scaleUpBandwidth = physics.assumedNic;
    result.scaleUpLatency = physics.assumedScaleUpLatency;
    result.scaleOutBandwidth = accelerator.nicBandwidth > 0 ? accelerator.nicBandwidth : physics.assumedNic;
    result.scaleOutLatency = physics.assumedScaleOutLatency;
    result.usual = true;
    result.generated = true;
    result.citation = accelerator.citation;
    result.citation.source = "made from the accelerator's own fields: " + std::string(fabric ? "its scale-up fabric" : "its host link") +
                             " inside a node of eight, its usual network interface, assumed latencies";
    result.citation.fromMemory.push_back("accelerators_per_node");
    result.citation.fromMemory.push_back("latencies");
    return result;
}

} // namespace orrery::records

namespace orrery {
namespace {

constexpr const char* ownFields = "the accelerator's own fields";

} // namespace

UsualFabrics usualFabrics(const Accelerator& accelerator, const Catalog& catalog) {
    const Platform* platform = catalog.usualPlatform(accelerator.id);
    if (!platform) {
        const double latency = catalog.physics().unknownLatency;
        const std::string why = std::string(ownFields) + "; its platform is not known";
        return {accelerator.scaleUpBandwidth, latency, accelerator.nicBandwidth, latency, why, why, why};
    }
    const std::string why = "usual platform of " + accelerator.id + ": " + platform->name;
    UsualFabrics usual{platform->scaleUpBandwidth, platform->scaleUpLatency, platform->scaleOutBandwidth, platform->scaleOutLatency, why, why, why};
    const Accelerator* listed = catalog.accelerator(accelerator.id);
    const auto take = [&](double Accelerator::*stated, double& rate, std::string& reason) {
        if (!listed || accelerator.*stated <= 0 || accelerator.*stated == listed->*stated) return;
        rate = accelerator.*stated;
        reason = ownFields;
    };
    take(&Accelerator::scaleUpBandwidth, usual.scaleUpBandwidth, usual.scaleUpWhy);
    take(&Accelerator::nicBandwidth, usual.scaleOutBandwidth, usual.scaleOutWhy);
    return usual;
}

double inUnit(double value, double unit) { return std::round(value / unit * 1e6) / 1e6; }

} // namespace orrery
