// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/shipped_lessons.hpp"

#include "core/base/json.hpp"
#include "resources/resources.hpp"

#include <string_view>
#include <utility>

namespace orrery {

std::vector<Lesson> shippedLessons() {
    constexpr std::string_view folder = "lessons/";
    std::vector<Lesson> lessons;
    for (const std::string_view name : resourceNames()) {
        if (!name.starts_with(folder)) continue;
        Problems problems; // the tests read every one
        if (std::optional<Lesson> lesson = readLesson(Json::parse(resourceText(name)), problems)) lessons.push_back(std::move(*lesson));
    }
    return lessons;
}

} // namespace orrery
