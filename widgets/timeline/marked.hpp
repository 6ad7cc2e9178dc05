// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"
#include "widgets/timeline/raster.hpp"

#include <vector>

namespace orrery {

/// Operators picked out of the rest, and where in each segment they stand. Sized by the templates, not by the bars.
class MarkedOperators {
public:
    MarkedOperators() = default;
    MarkedOperators(const Timeline& timeline, std::vector<bool> operators);

    bool any() const { return any_; }
    bool contains(std::uint32_t op) const { return op < operators_.size() && operators_[op]; }
    /// By segment, for a row of this kind.
    const std::vector<std::vector<SegmentStretch>>& stretches(StreamKind row) const;

private:
    std::vector<bool> operators_;
    bool any_ = false;
    std::vector<std::vector<SegmentStretch>> compute_;
    std::vector<std::vector<SegmentStretch>> tensor_;
    std::vector<std::vector<SegmentStretch>> others_; ///< streams with spans of their own
};

/// The operators that a selection means: by name and phase, or by name alone where no operator has that phase (results
/// file collectives under "communication" whatever pass they run in). Empty name: none.
std::vector<bool> operatorsNamed(const Timeline& timeline, std::string_view name, std::string_view phase);

} // namespace orrery
