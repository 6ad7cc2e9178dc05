// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What nearly every test program includes; compiled once. Tests still name what they use.
#include "core/base/standard_headers.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
