// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/command_parts.hpp"

#include <CLI/CLI.hpp>

namespace orrery {

CLI::Option* addJson(CLI::App& command, bool& json) {
    return command.add_flag("--json", json, "Print one JSON document on standard output and nothing else");
}

void addThreads(CLI::App& command, int& threads, const std::string& byDefault) {
    constexpr int most = 1024;
    command.add_option("--threads", threads, "Threads to use (" + byDefault + "); the numbers do not depend on it")->check(CLI::Range(1, most));
}

CLI::Option* takeMany(CLI::Option* option) { return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll); }

} // namespace orrery
