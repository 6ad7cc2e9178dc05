// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/order/requests/request.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// More mistakes than this in one log are not listed.
inline constexpr std::size_t mostRequestProblems = 20;

/// Reads a log of requests: JSON lines with `arrival_s` (s, not falling from line to line), `input_tokens`, `output_tokens` (at least 1), and if
/// they like `priority` and `hash_ids` (one for each `hashBlockSize` tokens of the prompt; the last tokens may go without). Other keys are
/// skipped, empty lines too. Logs that others publish are read as they are (foreign_requests.hpp). `bytes` is text, or text compressed by gzip.
///
/// Gives nothing, and problems with `file` and `line`, when a line is no such request or there is none.
std::optional<RequestList> readRequests(std::string_view bytes, const std::string& fileName, int hashBlockSize, Problems& problems);

} // namespace orrery
