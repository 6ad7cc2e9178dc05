// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/library.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The communication library's constants by accelerator and network. Immutable once read.
class LibraryCatalog {
public:
    /// Reads resources/catalog/collectives.json. Throws std::runtime_error that names the record and field when it is
    /// malformed: a number missing, of the wrong type or out of range, a record twice, no "default".
    static LibraryCatalog fromText(std::string_view text);

    /// Constants for an accelerator: its own, else those of the one that stands for it, else "default", which are assumed.
    /// `network` is one of `networks()`, of which the record of the accelerator's generation counts; an unknown or empty one means the first.
    LibraryConstants constants(std::string_view accelerator, std::string_view network = {}) const;

    std::vector<std::string> networks() const;

private:
    struct Network {
        std::string id;
        std::vector<std::string> accelerators; ///< whose platforms have this generation of it; empty: every other's
        double step = 0, lowLatency128Step = 0, simpleStep = 0, share = 0, messageGap = 0;
        bool keepsOrder = true;
    };
    std::vector<LibraryConstants> families_;
    std::vector<Network> networks_;
    std::map<std::string, std::string, std::less<>> standIns_; ///< accelerator → the one whose constants stand in for it
};

} // namespace orrery
