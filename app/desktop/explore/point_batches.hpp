// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/explore_worker.hpp"
#include "core/answers/explore/sensitivity.hpp"
#include "core/answers/explore/sweep.hpp"

#include <QElapsedTimer>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {

/// A point that was found, and which one it is.
using FoundPoint = std::pair<std::size_t, std::shared_ptr<const SweptPoint>>;

/// Hands points over as they are found, many at a time: nobody sees more than a few pictures a second. One call at a time.
class PointBatches {
public:
    PointBatches(ExploreWorker::Deliver deliver, std::function<void(const std::vector<FoundPoint>&)> take) : deliver_(std::move(deliver)), take_(std::move(take)) { since_.start(); }

    void add(std::size_t index, const SweptPoint& point) {
        waiting_.emplace_back(index, std::make_shared<const SweptPoint>(point));
        constexpr qint64 together = 80; // ms
        if (since_.elapsed() >= together) flush();
    }
    void flush() {
        since_.restart();
        if (waiting_.empty()) return;
        deliver_([take = take_, batch = std::exchange(waiting_, {})] { take(batch); });
    }

private:
    ExploreWorker::Deliver deliver_;
    std::function<void(const std::vector<FoundPoint>&)> take_;
    std::vector<FoundPoint> waiting_;
    QElapsedTimer since_;
};

/// What a combination changes. Where `input` stands for the first key, all places that change with it take the same multiple.
std::vector<ScenarioEdit> sweptChanges(const SweepQuestion& question, std::size_t point, const std::optional<SensitivityInput>& input);

/// runSweep over such changes. Nothing but problems where a key is no place of the scenario.
SweepRun runTiedSweep(const Trials& trials, const SweepQuestion& question, const std::optional<SensitivityInput>& input, const RunControl& control, const OnSweptPoint& onPoint);

} // namespace orrery
