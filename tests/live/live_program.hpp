// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "tests/support/process.hpp"

#include <string>
#include <vector>

namespace orrery::test {

/// What orrery-run gave: its document, or none where it printed none.
struct LiveAnswerOf {
    ProcessResult process;
    Json document;

    const Json& rank(int rank) const;
    std::string faultCode() const; ///< of the first; empty: none
    std::string faultMessage() const;
};

/// Runs `orrery-cli trace live OPTIONS --json -- python3 COMMAND`.
LiveAnswerOf runLiveProgram(std::vector<std::string> options, const std::vector<std::string>& command);

/// The GPT of tests/data/programs in a small size, with further arguments.
std::vector<std::string> smallGpt(const std::vector<std::string>& further = {});

std::string programPath(const std::string& name);
std::string contentOf(const std::string& path);

/// Bytes by which the peak of a rank of the small GPT may differ from run to run: an activation (128 tokens of 48 float32) that its receiver takes
/// sooner or later, and the flags beside it.
inline constexpr double bytesOfTheMoment = 128 * 48 * 4 + 1024;

} // namespace orrery::test
