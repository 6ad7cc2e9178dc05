// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Reads "0-15", "0,8,16" or a mixture into ranks in the order written. Nothing, with `error` a sentence, when it is no such
/// list, names a rank twice or one that is not below `ranks`.
std::optional<std::vector<int>> readRankList(const std::string& text, int ranks, std::string& error);

} // namespace orrery
