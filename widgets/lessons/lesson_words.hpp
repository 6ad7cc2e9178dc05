// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/answer_sheet.hpp"
#include "core/answers/lessons/lesson_judge.hpp"
#include "core/base/json_forward.hpp"

#include <QString>

#include <optional>

namespace orrery {

/// An answer as it was typed or chosen: "27.3", "twice as long".
QString answerText(const Json& answer);
/// A number with the digits that a pupil compares; a text as it is; nothing has none.
QString valueText(const LessonValue& value);

/// The value that the program found for what the step asks; nothing where no clause asks for an answer.
std::optional<LessonValue> measuredValue(const StepVerdict& verdict);

/// "You said 37.5 first, then 27.3; it is 27.27." `measured` nothing: only what was said.
QString outcomeText(const StepAnswer& answer, const std::optional<LessonValue>& measured);

/// What the typed text answers: a number where it is one, with a decimal point or comma and with or without a percent sign.
std::optional<double> typedNumber(const QString& text);

} // namespace orrery
