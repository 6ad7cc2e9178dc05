// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/usual_fabrics.hpp"

#include "core/catalog/catalog.hpp"

#include <cmath>

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
