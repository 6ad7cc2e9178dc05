// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/explored_scenario.hpp"

#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <chrono>
#include <cmath>
#include <utility>

namespace orrery {

ExploredScenario::ExploredScenario(const std::string& path, Problems& problems) : catalog_(userCatalog(problems)) {
    LoadedDocument loaded = loadDocument(path);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.document || hasErrors(loaded.problems)) return;
    Trials trials(std::move(*loaded.document), catalog_, loaded.readFile);
    if (trials.read({}, problems)) trials_.emplace(std::move(trials));
}

const Trial& ExploredScenario::base() {
    if (!base_) {
        const auto start = std::chrono::steady_clock::now();
        base_ = trials_->run({});
        baseSeconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return *base_;
}

std::string aboutText(double seconds) {
    constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
    const auto about = [](double value, const char* unit) { return "about " + formatNumber(value < 10 ? std::round(value * 10) / 10 : std::round(value)) + " " + unit; };
    if (seconds < 1) return "less than a second";
    if (seconds < minute) return about(seconds, "s");
    if (seconds < hour) return about(seconds / minute, "min");
    if (seconds < day) return about(seconds / hour, "hours");
    if (seconds < year) return about(seconds / day, "days");
    return about(seconds / year, "years");
}

} // namespace orrery
