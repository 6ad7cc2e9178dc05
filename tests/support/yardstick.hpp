// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/event_watch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace orrery::test {

/// Own time that this machine takes at this moment for a fixed piece of work of the kind that an edit does: a document of 2,000 small parts is read
/// from its text, copied and compared. A limit in milliseconds holds for one kind of machine; in yardsticks it holds for each, and other
/// programs, which take the caches away, lengthen the yardstick too.
inline double yardstickSeconds() {
    static const std::string text = [] {
        nlohmann::json parts = nlohmann::json::array();
        for (int part = 0; part < 2000; ++part)
            parts.push_back({{"id", "host-" + std::to_string(part)}, {"kind", "a part of a drawn cluster"}, {"x", 0.5 * part}, {"links", {part, part + 1, part + 2}}});
        return parts.dump();
    }();
    double shortest = 1;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const double before = ownSeconds();
        const nlohmann::json read = nlohmann::json::parse(text);
        const nlohmann::json copy = read;
        if (read != copy) return 0;
        shortest = std::min(shortest, ownSeconds() - before);
    }
    return shortest;
}

} // namespace orrery::test
