// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <QString>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// One of many axes side by side: a key of the scenario with the values that it takes, or a figure of the result.
struct ParallelAxis {
    std::string pointer;
    QString name;                    ///< as it stands over the axis
    std::vector<BoxedJson> values{}; ///< of a key, in their order; empty: the axis is a figure's
    bool mostIsBetter = false;       ///< of a figure

    bool isKey() const { return !values.empty(); }
};

/// Plans with a place on every axis.
struct ParallelPlans {
    struct Plan {
        std::vector<std::optional<double>> at; ///< by axis: which value of a key, or the figure itself; nothing: there is none
        std::size_t point = 0;                 ///< what is opened
        bool feasible = true;                  ///< fits and satisfies every constraint
        bool onFront = false;
        QString words;    ///< "t4 p8"
        QString fallen{}; ///< why it was not simulated; its figures are the best that are possible. Empty: it was
        bool isFallen() const { return !fallen.isEmpty(); }
    };
    std::vector<ParallelAxis> axes;
    std::vector<Plan> plans;

    std::size_t simulated() const; ///< plans
};

/// What an axis is limited to, both ends included, in the axis's own numbers.
struct Brush {
    double low = 0, high = 0;

    bool holds(double at) const { return low <= at && at <= high; }
    friend bool operator==(const Brush&, const Brush&) = default;
};

/// By axis; nothing: all of the axis.
using Brushes = std::vector<std::optional<Brush>>;

/// Whether a plan lies in every brush. One without a place on a brushed axis does not.
bool isWithin(const ParallelPlans::Plan& plan, const Brushes& brushes);

/// Whether two lists of axes are the same, so that the brushes of one make sense on the other.
bool areSameAxes(const std::vector<ParallelAxis>& a, const std::vector<ParallelAxis>& b);

} // namespace orrery
