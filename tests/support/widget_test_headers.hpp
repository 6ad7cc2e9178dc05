// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What nearly every test of the window includes; compiled once. Tests still name what they use.
#include "widgets/common/library_headers.hpp"

#include <QtTest>
