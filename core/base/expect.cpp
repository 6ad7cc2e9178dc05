// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/expect.hpp"

namespace orrery {

void failExpectation(std::string_view place, std::string_view condition, std::string_view names, const std::string& values) {
    // The path below the project's root says enough, and is the same on every machine.
    for (const std::string_view root : {"/core/", "/widgets/", "/app/"})
        if (const auto at = place.rfind(root); at != std::string_view::npos) place.remove_prefix(at + 1);
    std::string message = std::string(place) + ": expected " + std::string(condition);
    if (!names.empty()) message += ", found " + std::string(names) + " = " + values;
    throw BrokenExpectation(message);
}

} // namespace orrery
