// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Programs that a launch command can be written for.
enum class LaunchTool { megatron_lm,
                        megatron_bridge,
                        torchtitan,
                        vllm,
                        sglang,
                        trtllm };

/// "megatron-lm", … in the order of the enum.
const std::vector<std::string>& launchToolWords();
std::optional<LaunchTool> launchToolOf(const std::string& word);

/// A text that starts the scenario's training or server with a program: a command, or a configuration with the command that reads it in its comments. What
/// the program has no option for stands in comments `# orrery: POINTER VALUE`, so that importing the text (core/exchange/import) gives a scenario
/// with the same model, cluster, workload, plan and execution. Nothing, with a problem, where the program does not do such work.
std::optional<std::string> launchText(const Json& document, const Scenario& scenario, LaunchTool tool, Problems& problems);

} // namespace orrery
