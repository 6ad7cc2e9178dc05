#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"

#include <nlohmann/json.hpp>
