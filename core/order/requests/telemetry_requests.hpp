// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/order/requests/request_log_builder.hpp"

#include <cstdint>
#include <string_view>

namespace orrery {

/// Whether a text holds OpenTelemetry's spans as its protocol writes them in JSON (OTLP: `resourceSpans`, whole or a line each).
bool isSpanLog(std::string_view text);
/// Calls of models out of such a text: spans with `gen_ai.usage.input_tokens` and `gen_ai.usage.output_tokens` (GenAI semantic conventions; the names
/// before, `prompt_tokens` and `completion_tokens`, too), in the order of `startTimeUnixNano`. Other spans are passed over.
void readSpans(std::string_view text, RequestLogBuilder& log);

/// Whether an object is a record of AIPerf's `profile_export.jsonl`: `metadata` and `metrics`.
bool isAiperfRecord(const Json& object);
/// A record's request; its time counts from `origin`, which the first record sets (−1 before).
RequestLogEntry aiperfEntry(const Json& record, std::int64_t& origin);

} // namespace orrery
