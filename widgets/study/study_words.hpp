// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"
#include "widgets/common/format.hpp"

namespace orrery {

/// A number of a study in its unit: "bytes", "s", "1" (shown in percent), or any other word after the number.
Readable studyNumber(double value, const QString& unit);

/// One unit for a whole axis up to `largest`: what its numbers are divided by, and its name.
struct AxisUnit {
    double factor = 1;
    QString name;
};
AxisUnit axisUnit(double largest, const QString& unit);

/// A word of a result, translated ("shared_memory" → "shared memory").
QString studyWord(const std::string& word);

/// What a chain's step does to a plot, and by what: "× 1.75 (batch), × 9.0 in all"; empty for another study, for the first step, and
/// where nothing is known yet.
QString stepText(const StudyResult& result, std::size_t plot, std::size_t point);
/// The whole chain so far: "× 31.7 = accelerator 3.6 × precision 1.4 × …"; empty where there is none.
QString chainText(const StudyResult& result, std::size_t plot);
/// "× 1.75", with as many digits as tell.
QString factorText(double factor);

} // namespace orrery
