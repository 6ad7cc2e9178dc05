// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/lesson.hpp"

#include <vector>

namespace orrery {

/// The lessons of `resources/lessons`, in their order, as built into the program.
std::vector<Lesson> shippedLessons();

} // namespace orrery
