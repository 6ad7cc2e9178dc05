// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/profile_document.hpp"

#include "core/base/json.hpp"
#include "core/scenario/reader/measured_profile.hpp"

#include <utility>

namespace orrery {

Json profileDocument(const Scenario& scenario, const std::string& frameworkVersion, const std::vector<AdjustedConstant>& constants) {
    const Accelerator& accelerator = scenario.cluster.accelerator;
    const FrameworkProfile& framework = scenario.execution.profile;
    Json values = Json::object();
    for (const AdjustedConstant& constant : constants) values[constant.name] = constant.after;
    Json software{{"framework", framework.id}};
    if (!frameworkVersion.empty()) software["framework_version"] = frameworkVersion;
    return {{"format", measuredProfileFormat},
            {"name", scenario.modelName + " on " + std::to_string(scenario.cluster.accelerators()) + " " + accelerator.name + ", " + (frameworkVersion.empty() ? framework.name : frameworkVersion)},
            {"machine", {{"accelerator", accelerator.id}, {"accelerators", scenario.cluster.accelerators()}}},
            {"software", std::move(software)},
            {"constants", std::move(values)}};
}

} // namespace orrery
