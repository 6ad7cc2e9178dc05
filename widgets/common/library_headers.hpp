// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What nearly every source of the window includes; compiled once. Sources still name what they use.
#include "core/base/standard_headers.hpp"

#include <QtWidgets>
#include <nlohmann/json.hpp>
