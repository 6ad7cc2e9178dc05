// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {

class App;
class Option;

} // namespace CLI

namespace orrery {

/// Options that several commands have.
CLI::Option* addJson(CLI::App& command, bool& json);
void addThreads(CLI::App& command, int& threads, const std::string& byDefault);

/// One value each time it is named, so that what follows is not taken for another.
CLI::Option* takeMany(CLI::Option* option);

} // namespace orrery
