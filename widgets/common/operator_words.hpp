// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QString>

namespace orrery {

/// What views call an operator's phase, bound and source, translated.
QString phaseText(std::string_view word); ///< OperationRow::phase
QString boundText(Bound bound);
QString sourceText(Source source);

/// The phase of a row; what is no phase of the timeline counts as communication.
Phase phaseFromWord(std::string_view word);

/// The timeline's operator that a row sums up, for its kind and colour; null when it has none of that name and phase.
const TimedOperator* findOperator(const Timeline& timeline, const OperationRow& row);

/// A rate of GB/s as networks are sold: "400 Gb/s", "3.2 Tb/s".
QString bitRate(double gigabytesPerSecond);

} // namespace orrery
