// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/forms/plan_facts.hpp"

#include <QString>

#include <string_view>

namespace orrery {

/// Why something of the form does not apply to a plan.
struct NotApplicable {
    QString reason; ///< one sentence for the tooltip; empty: it applies
    QString brief;  ///< a few words that stand in the field: "no experts"
    explicit operator bool() const { return !reason.isEmpty(); }
    bool operator==(const NotApplicable&) const = default;
};

/// The reason of the field that edits this place.
NotApplicable whyFieldIsIdle(std::string_view pointer, const PlanFacts& facts);

/// Why a field of another kind of workload does not apply.
NotApplicable whyKindIsOther(const PlanFacts& facts);

/// Why one value of a choice does not apply. A value with no brief word is not listed unless it is given.
NotApplicable whyChoiceIsIdle(std::string_view pointer, const Json& value, const PlanFacts& facts);

} // namespace orrery
