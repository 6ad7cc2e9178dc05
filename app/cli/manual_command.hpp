// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {

class App;
}

namespace orrery {

struct ManualOptions {
    std::string topic;  ///< a page, a key of a scenario, a figure of a result; empty: the list of pages
    std::string folder; ///< write all pages there; empty: print
};

void addManualOptions(CLI::App& command, ManualOptions& options);

/// `app` is the whole command line, which the page of commands is made of.
int runManual(const ManualOptions& options, const CLI::App& app);

} // namespace orrery
