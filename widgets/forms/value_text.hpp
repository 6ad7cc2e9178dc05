// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "widgets/forms/field_table.hpp"

#include <QString>

#include <optional>

namespace orrery {

/// What a text in a number field means.
struct ParsedValue {
    std::optional<Json> value; ///< nothing when the text is empty or wrong
    QString error;             ///< one sentence; empty when the text is right or empty
};

/// Reads what a person types: thousands separators, thin and plain spaces, "15T", "1.5e13"; lists by commas or spaces.
ParsedValue parseValue(FieldKind kind, const QString& text);

/// The value as the field shows it: grouped digits; anything of another type as its JSON, so that nothing wrong is hidden.
QString valueText(FieldKind kind, const Json& value);

/// The next value of a stepper; `batch` is the multiple for FieldStep::batch (0: unknown). Never below 1.
std::int64_t steppedValue(FieldStep step, std::int64_t value, int direction, std::int64_t batch = 0);

} // namespace orrery
