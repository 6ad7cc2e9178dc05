// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace orrery {

/// Keeps the key order of a user's file, so that saving a scenario does not shuffle it.
///
/// Headers include this file, which only names the type. A source file that works with JSON includes core/base/json.hpp, which is
/// slow to compile; a type that holds JSON by value holds a BoxedJson (core/base/boxed_json.hpp).
using Json = nlohmann::ordered_json;

} // namespace orrery
