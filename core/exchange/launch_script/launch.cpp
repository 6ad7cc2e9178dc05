// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/launch.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <utility>

namespace orrery {
namespace {

/// "8" of "gpu:8", "gpu:h100:8" or "8".
std::string trailingNumber(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
    const bool digits = !number.empty() && std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); });
    return digits ? number : std::string();
}

void setFrom(const std::string& option, const std::string& value, int line, ShellVariables& variables) {
    const std::string number = trailingNumber(value);
    if (number.empty()) return;
    const LinedText lined(number, line);
    if (option == "--nodes" || option == "-N") {
        for (const char* name : {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}) variables.set(name, lined);
    } else if (option == "--ntasks-per-node") {
        variables.set("SLURM_NTASKS_PER_NODE", lined);
    } else if (option == "--ntasks" || option == "-n") {
        variables.set("SLURM_NTASKS", lined);
    } else if (option == "--gres" || option == "--gpus-per-node" || option == "-G") {
        variables.set("SLURM_GPUS_ON_NODE", lined);
        variables.set("SLURM_GPUS_PER_NODE", lined);
    }
}

} // namespace

void setSlurmVariables(const LinedText& script, ShellVariables& variables) {
    std::istringstream text(script.text());
    std::string row;
    for (int line = 1; std::getline(text, row); ++line) {
        if (row.rfind("#SBATCH", 0) != 0) continue;
        std::istringstream words(row.substr(7));
        for (std::string word; words >> word && word[0] != '#';) {
            const std::size_t equals = word.find('=');
            std::string value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
            if (equals == std::string::npos && !(words >> value)) break;
            setFrom(word.substr(0, equals), value, line, variables);
        }
    }
}

namespace {

/// Modules that start other programs rather than being one.
bool isLauncherModule(const std::string& module) {
    return module.rfind("torch.distributed", 0) == 0 || module.rfind("accelerate", 0) == 0 || module.rfind("deepspeed.launcher", 0) == 0;
}

/// Programs of servers and of what asks them; vLLM's own image starts its server.
bool isServing(const std::string& name) {
    return name == "vllm" || name == "sglang" || name == "trtllm-serve" || name == "trtllm-bench" || name.rfind("vllm-openai", 0) == 0;
}

/// Options of docker, podman, uvx and kubectl whose value may be named like a program: `--name vllm`, `--entrypoint vllm IMAGE serve …`.
bool isContainerValue(const std::string& option) {
    for (const char* name : {"--name", "--entrypoint", "--network", "--net", "--hostname", "--label", "-v", "--volume", "--workdir", "--with", "--from", "--package", "--image"})
        if (option == name) return true;
    return false;
}

/// Where the program's name stands among the words; words.size() when there is none.
std::size_t programAt(const std::vector<LinedText>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i].text();
        const std::string previous = i > 0 ? words[i - 1].text() : std::string();
        if (previous == "-m" || previous == "--module") {
            if (isLauncherModule(word)) continue;
            return i;
        }
        if (word.empty() || word[0] == '-' || isContainerValue(previous)) continue;
        if (word.ends_with(".py") || word.ends_with(".sh") || isServing(baseName(word))) return i;
    }
    return words.size();
}

using Names = std::initializer_list<const char*>;

/// The first of these that has a whole number, wherever the launch keeps it; the last part after a colon counts (gpu:8).
std::optional<std::int64_t> firstNumber(Launch& launch, Names names, int& line) {
    for (OptionList* list : {&launch.launcher, &launch.options}) {
        for (const char* name : names) {
            const GivenOption* option = list->take(name);
            if (!option || option->values.empty()) continue;
            const std::string& value = option->values.front();
            const std::size_t colon = value.rfind(':');
            const auto number = wholeNumber(colon == std::string::npos ? value : value.substr(colon + 1));
            if (!number || *number < 1) continue;
            line = option->line;
            return number;
        }
    }
    return std::nullopt;
}

void readOpenNodes(Launch& launch, LaunchSize& size) {
    for (OptionList* list : {&launch.launcher, &launch.options})
        for (const GivenOption& option : list->all()) {
            const bool nodes = option.name == "nnodes" || option.name == "num-nodes" || option.name == "nodes";
            if (!nodes || option.values.empty() || option.values.front().find('$') == std::string::npos) continue;
            size.openNodes = option.written + " " + option.values.front();
            size.openNodesLine = option.line;
        }
}

std::optional<std::int64_t> firstVariable(const Launch& launch, const ShellVariables& variables, Names names, int& line) {
    for (const char* name : names) {
        const auto set = launch.environment.find(name);
        const ShellVariables::Elements* found = variables.find(name);
        LinedText value;
        if (set != launch.environment.end()) value = set->second;
        else if (found && !found->empty()) value = found->front();
        const auto number = wholeNumber(value.text());
        if (!number || *number < 1) continue;
        if (line == 0) line = value.line();
        return number;
    }
    return std::nullopt;
}

} // namespace

Launch splitCommand(const ShellCommand& command) {
    Launch launch;
    launch.environment = command.environment;
    const std::vector<LinedText>& words = command.words;
    launch.line = words.empty() ? 0 : words.front().line();
    const std::size_t at = programAt(words);
    std::vector<LinedText> before = command.outer;
    std::vector<LinedText> after;
    if (at < words.size()) {
        launch.program = words[at].text();
        const auto split = words.begin() + static_cast<std::ptrdiff_t>(at);
        before.insert(before.end(), words.begin(), split);
        after.assign(split + 1, words.end());
    } else {
        after = words; // a command without a program of known kind, or options alone
    }
    launch.launcher = OptionList(before);
    launch.options = OptionList(after);
    return launch;
}

std::optional<std::int64_t> LaunchSize::accelerators() const {
    if (nodes && perNode) return *nodes * *perNode;
    if (world) return world;
    return perNode ? perNode : std::nullopt; // one node
}

LaunchSize launchSize(Launch& launch, const ShellVariables& variables) {
    LaunchSize size;
    readOpenNodes(launch, size);
    size.nodes = firstNumber(launch, {"nnodes", "num-nodes", "nodes", "N", "num-machines"}, size.line);
    size.perNode = firstNumber(launch, {"nproc-per-node", "num-gpus", "gpus-per-node", "ntasks-per-node", "gres", "npernode"}, size.line);
    size.world = firstNumber(launch, {"num-processes", "ntasks", "np", "n"}, size.line);
    if (!size.nodes) size.nodes = firstVariable(launch, variables, {"NNODES", "NUM_NODES", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, size.line);
    if (!size.perNode)
        size.perNode = firstVariable(launch, variables, {"NPROC_PER_NODE", "GPUS_PER_NODE", "NGPU", "N_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}, size.line);
    if (!size.world) size.world = firstVariable(launch, variables, {"WORLD_SIZE", "N_GPUS", "NUM_GPUS", "SLURM_NTASKS"}, size.line);
    return size;
}

} // namespace orrery
