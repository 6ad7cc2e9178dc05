// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/search/search_document.hpp"
#include "core/answers/search/search_question.hpp"
#include "core/served/service/served_figures.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace orrery {

/// Served plans of a space, simulated for nothing but the figures that a search asks for, each as far as the constraints can still hold.
class ServedPlans {
public:
    /// Null where the scenario serves nothing, or the search asks for a figure that only a whole result has. All of these outlive this.
    static std::unique_ptr<ServedPlans> of(const Trials& trials, const SearchQuestion& question);

    /// Those combinations one after the other of which a run may be another's too, by index.
    std::vector<std::vector<std::size_t>> groups() const;

    struct Found {
        std::optional<SweptPoint> point;
        bool needsWhole = false; ///< only a whole simulation knows
        bool isBroken = false;   ///< so many requests were beyond a constraint's limit that its percentile is too: the simulation ended there
    };
    /// What a combination's figures are; one that is no scenario is counted. Many threads may ask at once.
    Found find(std::size_t index, const RunControl& control, PrunedCounts& pruned);

    /// The same of all plans of some groups, in their order, on `control.threads` threads; fewer once it is stopped. `onPoint`: of each as soon as it is found.
    std::vector<std::vector<Found>> all(const std::vector<std::vector<std::size_t>>& groups, std::vector<PrunedCounts>& pruned, const RunControl& control, const OnSweptPoint& onPoint);

private:
    ServedPlans(const Trials& trials, const SearchQuestion& question) : trials_(trials), question_(question) {}
    ServedPlace placeOf(std::size_t index) const;
    std::unique_ptr<ServedFigures> takeFigures();
    void giveBack(std::unique_ptr<ServedFigures> figures);

    const Trials& trials_;
    const SearchQuestion& question_;
    std::vector<LatencyCap> caps_;
    bool gaps_ = false; ///< somebody asks for the time between tokens
    std::mutex guard_;
    std::vector<std::unique_ptr<ServedFigures>> idle_; ///< one a thread; none depends on what it was asked before
};

} // namespace orrery
