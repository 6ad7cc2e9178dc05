// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/lesson.hpp"

#include <string>

namespace orrery {

class Catalog; // core/catalog

/// A lesson as a page to print: one HTML document that needs nothing else. Pupils get what each step says and asks, and lines to write on; a teacher's key
/// says too what passes, by the lesson's own first end, what each wrong answer misses, what is said afterwards, and the source.
std::string lessonPage(const Lesson& lesson, bool key, const Catalog& catalog);

} // namespace orrery
