// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <optional>
#include <string>

namespace orrery {

/// What a device did, from a file of a profiler on disk, up to a GiB, packed or not, its kernels sorted by the rules; nothing, with a problem, where it is something else.
std::optional<KinetoTrace> kinetoFile(const std::string& fileName, const CommunicationRules& rules, Problems& problems);

} // namespace orrery
