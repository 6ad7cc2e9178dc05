// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/validation/cases.hpp"
#include "core/scenario/reader/reader.hpp"

#include <string>
#include <vector>

namespace orrery {

struct LoadedCases {
    std::vector<MeasuredCase> cases; ///< of all files, one after the other
    Problems problems;
    FileReader readFile; ///< looks beside each of the files in turn
};

/// `settings`: files of layOverEngines().
LoadedCases loadCases(const std::vector<std::string>& files, const std::vector<std::string>& settings = {});

} // namespace orrery
