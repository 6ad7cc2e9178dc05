// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/order/requests/request.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// Whether a text is a log that others publish, told by its first line: a table with a head, a list of JSON objects, or JSON lines without `arrival_s`.
bool isForeignRequestLog(std::string_view text);

/// Reads logs as they are published: Mooncake (and AIPerf's traces), Azure 2023 and 2024, BurstGPT, Vidur, LLMServingSim, Bailian. Columns or keys are known by their
/// names, units of time by the name's ending; plain `timestamp` of JSON lines is in ms as Mooncake writes it, in s beside a `chat_id` as Bailian does. Arrivals are
/// counted from the first. A log without arrivals is one whose requests all come at once. Requests without a prompt or an answer are failures and left out; a warning
/// says how many. Messages quote nothing of the text.
std::optional<RequestList> readForeignRequests(std::string_view text, const std::string& fileName, int hashBlockSize, Problems& problems);

/// A moment as logs write it, "2023-11-16 18:17:03.9799600" or "2024-05-10T00:00:00.009930+00:00", in nanoseconds since 1970; nothing for anything else.
std::optional<std::int64_t> momentOf(std::string_view text);

} // namespace orrery
