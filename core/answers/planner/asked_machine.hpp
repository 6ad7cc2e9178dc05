// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// A machine as a person names it in one word.
struct AskedMachine {
    BoxedJson cluster;        ///< the scenario's `/cluster`
    int hosts = 0;            ///< each of `perHost` accelerators
    int perHost = 0;          ///< accelerators
    int domain = 0;           ///< accelerators that share a scale-up fabric, at most
    double capacity = 0;      ///< bytes of an accelerator's memory
    std::string word;         ///< id of the platform or accelerator
    bool countsHosts = false; ///< the number in front counts hosts; else accelerators
    std::string text() const; ///< "32 hosts dgx-h100 of 8 accelerators, 256 in all"
    int accelerators() const { return hosts * perHost; }
};

/// Reads "32xdgx-h100" (hosts of a platform) or "256xh100-sxm5-80gb" (accelerators, on hosts of their usual platform); without a number one
/// of them. Nothing, with a problem that names the nearest ids, for what is neither, or for accelerators that don't fill whole hosts.
/// `network`: bytes/s per accelerator and direction between hosts, in place of the platform's.
std::optional<AskedMachine> askedMachine(const std::string& text, std::optional<double> network, const Catalog& catalog, Problems& problems);

/// The known names that a mistyped one most likely meant, the nearest first, three at most.
std::vector<std::string> nearestNames(const std::string& word, std::vector<std::string> known);

/// The same machine of another number of hosts.
AskedMachine ofHosts(AskedMachine machine, int hosts);

} // namespace orrery
