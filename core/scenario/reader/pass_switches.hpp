// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/pass_table.hpp"
#include "core/scenario/plan_numbers.hpp"

namespace orrery {

/// A plan pass switched off is the plan without it: what asks for it is taken out of the document before anything else reads it, so that
/// rules, defaults and results cannot tell the two apart. `data` needs the cluster, `fusion` and `overlap` the profile besides.
///
/// The document must have passed the shape check; names that are no plan passes are left alone.
Json withoutSwitchedOffPasses(Json document);

/// With the plan pass `data` off one replica is left, with its part of the batch. Nothing happens where ranks or batch do not divide: the
/// rules speak of that.
void leaveOutReplicas(FilledDocument& document, PlanNumbers& plan);

/// What the framework's profile fuses and overlaps by itself.
void leaveOutOfProfile(Execution& execution);

/// A warning for every plan pass that the document names and that does nothing to the plan as it is given.
void warnOfIdlePasses(const Json& passes, const Scenario& given, Problems& problems);

} // namespace orrery
