// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

/// "3=FILE" or "FILE".
struct RankedFile {
    std::string file;
    std::optional<std::int64_t> rank;
};

RankedFile rankedFile(const std::string& text);

} // namespace orrery
