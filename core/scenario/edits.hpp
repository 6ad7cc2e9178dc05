// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

namespace orrery {

/// A scenario document after edits, in their order. A value replaces or adds what is at its pointer, objects on the way are made;
/// null removes what is there. Meant for edits that Orrery itself made up: their pointers follow the document.
Json edited(Json document, const std::vector<ScenarioEdit>& edits);

} // namespace orrery
