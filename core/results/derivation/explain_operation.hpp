// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Where a figure of an operator's row comes from; `tokens` are the members of its JSON pointer, "operations" first. A pointer at the row itself asks for its time.
std::optional<Quantity> explainOperation(const Result& result, const std::vector<std::string>& tokens);

/// Where a figure of the memory account comes from; `tokens` are the members of its JSON pointer, "memory" first. Nothing for what is no figure of it.
std::optional<Quantity> explainMemory(const Result& result, const std::vector<std::string>& tokens);
/// The same of what a plan lacks, and of what was tried against it.
std::optional<Quantity> explainOutOfMemory(const Result& result, const OutOfMemory& out, const std::vector<std::string>& tokens);

} // namespace orrery
