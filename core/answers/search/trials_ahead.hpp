// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/trial_pool.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>

namespace orrery {

/// Points of a space asked for one after the other, with simulations of those that will probably be asked for next on their way already. Some of
/// these are never asked for: what is answered does not depend on how many ran ahead.
class TrialsAhead {
public:
    /// `pool` and `known` outlive this; what is known is not simulated. `onSimulated` is called after each simulation, asked for or not.
    TrialsAhead(TrialPool& pool, const std::map<std::size_t, SweptPoint>& known, OnSweptPoint onSimulated, std::stop_token stop);

    /// Waits for the point; `beginOthers` is called whenever there is room for others. Nothing: stopped.
    std::optional<SweptPoint> pointOf(std::size_t index, const std::function<void()>& beginOthers);

    bool hasRoom() const { return onTheirWay_.size() < pool_.places(); }
    void begin(std::size_t index);
    std::size_t places() const { return pool_.places(); }
    void drop() { pool_.drop(); }

private:
    TrialPool& pool_;
    const std::map<std::size_t, SweptPoint>& known_;
    OnSweptPoint onSimulated_;
    std::stop_token stop_;
    std::set<std::size_t> onTheirWay_;
    std::map<std::size_t, SweptPoint> ahead_; ///< simulated before they were asked for
};

} // namespace orrery
