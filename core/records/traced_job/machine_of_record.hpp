// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <string>
#include <vector>

namespace orrery {

class Catalog;

/// Which entries of the catalogue a record's device can be.
struct DeviceMatch {
    std::vector<std::string> ids; ///< one: it is that; several: the record doesn't tell them apart
    std::string why;              ///< a sentence about the one
    bool named = false;           ///< by its name; else only memory and processors agree
};

/// Compares the device's name, memory and number of processors with the catalogue's; what reports them differs from data sheets by some percent of memory.
DeviceMatch deviceMatch(const KinetoTrace& trace, const Catalog& catalog);

} // namespace orrery
