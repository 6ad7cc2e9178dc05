#pragma once

#include <nlohmann/json.hpp>

namespace orrery {

/// Keeps the key order of a user's file, so that saving a scenario does not shuffle it.
using Json = nlohmann::ordered_json;

} // namespace orrery
