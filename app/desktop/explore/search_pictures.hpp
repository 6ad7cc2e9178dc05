// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/search/search.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/parallel_plans.hpp"
#include "widgets/explore/points_table.hpp"

#include <map>
#include <memory>
#include <vector>

namespace orrery {

/// Plans that were simulated, by combination.
using FoundPlans = std::map<std::size_t, std::shared_ptr<const SweptPoint>>;

/// What a search's views show of them.
struct SearchPictures {
    FrontChartData front;
    ParallelPlans parallel;                ///< axes: keys with more than one value, then every figure that is a number
    std::vector<std::size_t> ranked;       ///< what fits and satisfies every constraint, best first; combinations
    std::vector<PointsModel::Listed> rows; ///< the front, then the best of the others
};

/// `fallen`: plans that were not simulated, as lines of their own.
SearchPictures picturesOf(const SearchQuestion& question, const FoundPlans& found, const std::vector<FallenPlan>& fallen = {});

/// Rows of the plans that lie within all brushes, best first, those that don't fit last.
std::vector<PointsModel::Listed> rowsWithin(const SearchPictures& pictures, const FoundPlans& found, const Brushes& brushes);

/// A plan in words, by the keys that take more than one value.
QString planOf(const SearchQuestion& question, std::size_t plan);

/// A figure of a plan; null where the search does not ask for it.
const Json* searchFigure(const SearchQuestion& question, const SweptPoint& point, const Measure& measure);

} // namespace orrery
