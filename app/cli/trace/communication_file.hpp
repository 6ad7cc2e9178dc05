// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/traces/communication_rules.hpp"

#include <optional>
#include <string>

namespace orrery {

/// Rules of what counts as communication, from a JSON file or, as "-", standard input; no name: the shipped ones. Nothing, with problems, where they can't be read.
std::optional<CommunicationRules> communicationFile(const std::string& fileName, Problems& problems);

} // namespace orrery
