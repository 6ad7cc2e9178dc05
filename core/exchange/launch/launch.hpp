// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// An option of a program; a flag has no value.
struct LaunchOption {
    std::string name;  ///< without dashes
    std::string value; ///< as a shell takes it
};

class LaunchOptions {
public:
    void add(const std::string& name, const std::string& value) { all_.push_back({name, value}); }
    void add(const std::string& name, std::int64_t value) { add(name, std::to_string(value)); }
    void flag(const std::string& name, bool on = true) {
        if (on) all_.push_back({name, {}});
    }
    const std::vector<LaunchOption>& all() const { return all_; }

private:
    std::vector<LaunchOption> all_;
};

/// Megatron-LM's arguments for a training scenario; Megatron-Bridge's keys are named after them.
LaunchOptions megatronOptions(const Scenario& scenario);

/// `command` with its options, one a line.
std::string commandText(const std::string& command, const LaunchOptions& options);

/// "torchrun --nnodes 8 --nproc_per_node 8".
std::string torchrunOf(const Scenario& scenario);

std::string megatronText(const Scenario& scenario);
std::string bridgeText(const Scenario& scenario);
/// Empty, with a problem, where torchtitan has no such model.
std::string torchtitanText(const Json& document, const Scenario& scenario, Problems& problems);
std::string vllmText(const Json& document, const Scenario& scenario);
std::string sglangText(const Json& document, const Scenario& scenario);
std::string trtllmText(const Json& document, const Scenario& scenario);

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
