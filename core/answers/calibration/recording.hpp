// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>

namespace orrery {

inline constexpr const char* recordingFormat = "orrery-recording/1";

/// Whether a file's text says that it is what the script of `orrery-cli record-script` wrote.
bool saysRecording(const std::string& text);

/// The text of such a file, checked: machine, software, matrix products, runs with the times of kernels or of whole steps, collectives, the user's own job.
/// Times are in seconds. Nothing after a problem, which names the file and says where in it the fault is.
std::optional<Json> readRecording(const std::string& text, const std::string& fileName, Problems& problems);

} // namespace orrery
