// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Two ends, the lower first.
struct ValueRange {
    double low = 0, high = 0;
    bool wholeNumbers = false; ///< both ends are written as whole numbers
};

/// Values of a varied key as the contract writes them: `1,2,4` (numbers, true, false, null, words, lists), `1..8`, `1..8:2` (step 2),
/// `log:1..64:7` (seven, evenly apart in the logarithm; whole ones come out exact). Several of these with commas between. Nothing, with a
/// problem, where a text is none of these or means more than `most` values.
std::optional<std::vector<BoxedJson>> parseValues(const std::string& text, std::size_t most, Problems& problems);

/// `1..64` or `log:1..64`, which mean the same here. Nothing, with a problem, for anything else.
std::optional<ValueRange> parseRange(const std::string& text, Problems& problems);

/// `POINTER=TEXT` cut in two. Nothing, with a problem, where it is not written so.
struct Assignment {
    std::string pointer, text;
};
std::optional<Assignment> parseAssignment(const std::string& text, Problems& problems);

} // namespace orrery
