// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What an import does with an option of a program.
enum class FlagTreatment { read,      ///< it says something of the scenario
                           ignored,   ///< on purpose: no simulation needs it
                           refused,   ///< it changes what is simulated and can't be: said, or the end of the import
                           unknown }; ///< it falls to "was not understood"

struct FlagRow {
    std::string flag;
    FlagTreatment treatment = FlagTreatment::unknown;
    std::string reason; ///< of what is ignored or refused
};

/// "megatron-lm", "megatron-bridge", "torchtitan", "deepspeed", "vllm", "sglang", "tensorrt-llm", "dynamo".
const std::vector<std::string>& launcherWords();
const char* wordOf(FlagTreatment treatment);

/// Imports a small job of the launcher once for each flag and says what became of it: what a reader declares is what it does. Lines of
/// `flags` name one flag each, `#` begins a comment. Empty for a launcher that nobody knows.
std::vector<FlagRow> flagAccount(const std::string& launcher, std::string_view flags);

} // namespace orrery
