// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace orrery {

/// Compares two recorded jobs: a file of one rank each, or folders with the same ranks' files. Gives an exit status.
int runCompareRecords(const std::string& a, const std::string& b, const std::string& communication, bool json);

} // namespace orrery
