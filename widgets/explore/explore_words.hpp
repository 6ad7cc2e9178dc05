// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// "iteration time" for "/iteration_time_s", "memory › peak" for "/memory/peak_bytes".
QString figureName(const std::string& pointer);

/// "iteration time in s": with the unit that result documents have it in.
QString figureInItsUnit(const std::string& pointer);

/// A figure of a result for a person: times, bytes and shares by the name they stand under.
QString figureWords(const std::string& pointer, double value);
QString figureWords(const std::string& pointer, const Json& value); ///< "–" where there is none

/// What a person types for a figure: "0.5", "50 %", "120 ms", "60 GiB". Nothing for anything else.
std::optional<double> figureFromText(const QString& text);

/// How an axis counts a figure.
struct FigureScale {
    double factor = 1; ///< of the figure's own unit
    QString unit;
};
FigureScale figureScale(const std::string& pointer, double largest);

/// A tick of an axis whose ticks lie `step` apart, in the axis's unit.
QString tickText(double value, double step);

/// Whether less of a figure is better: times, bytes, costs.
bool lessIsBetter(const std::string& pointer);

/// A value of the scenario: "8", "on", "1f1b".
QString valueWords(const Json& value);

/// The last steps of a place, in words: "tensor", "scale up bandwidth".
QString keyName(const std::string& pointer);
QString keyUnit(const std::string& pointer);  ///< "GB/s", by the key's own ending; empty where it has none
QString keyTitle(const std::string& pointer); ///< "scale up bandwidth, GB/s": for axes and heads

/// What a key is called on a plan: "t" for the tensor degree.
QString keyLetter(const std::string& pointer);

/// A plan as it is written on a point: "t4 p8 mb2".
QString planWords(const std::vector<ScenarioEdit>& changes);

/// An undo step's name: "Set tensor to 4, pipeline to 8".
QString changesWords(const std::vector<ScenarioEdit>& changes);

/// "less than a second", "about 12 s", "about 3 hours".
QString aboutTime(double seconds);

} // namespace orrery
