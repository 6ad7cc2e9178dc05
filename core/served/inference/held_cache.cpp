// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/held_cache.hpp"

#include <algorithm>

namespace orrery {

void addWindowed(StepModel::StageHold& hold, const CacheWindow& window, double cache) {
    const auto same = std::find_if(hold.windows.begin(), hold.windows.end(), [&](const StepModel::StageHold::Windowed& one) { return one.window == window; });
    if (same == hold.windows.end()) hold.windows.push_back({window, cache});
    else same->cache += cache;
}

double StepModel::StageHold::cacheOf(std::int64_t tokens) const {
    double bytes = cache * static_cast<double>(tokens);
    for (const Windowed& one : windows) bytes -= one.cache * static_cast<double>(one.window.tokensBehind(tokens));
    return bytes;
}

CacheWindow cacheWindow(const StepModel& model) {
    CacheWindow widest{1, 0, true};
    for (const StepModel::StageHold& stage : model.stages()) {
        double windowed = 0;
        for (const auto& [window, cache] : stage.windows) {
            windowed += cache;
            // A window leaves no more behind than a chunk of its span does, so it stands for both.
            widest.chunks = widest.chunks && window.chunks && (widest.span == 0 || widest.span == window.span);
            widest.span = std::max(widest.span, window.span);
        }
        constexpr double rounding = 1e-12;                                 // of sums over the same layers
        const double share = stage.cache > 0 ? windowed / stage.cache : 1; // a drafting model's layers keep all
        widest.share = std::min(widest.share, share > 1 - rounding ? 1 : share);
    }
    return widest.span > 0 && widest.share > 0 ? widest : CacheWindow{};
}

} // namespace orrery
