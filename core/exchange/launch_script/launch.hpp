// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/option_list.hpp"
#include "core/exchange/launch_script/shell_expansion.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Sets what Slurm would set from a script's `#SBATCH` lines: SLURM_NNODES, SLURM_NTASKS_PER_NODE, SLURM_GPUS_ON_NODE.
void setSlurmVariables(const LinedText& script, ShellVariables& variables);

/// One command, split where the training program begins.
struct Launch {
    std::string program; ///< "pretrain_gpt.py", "torchtitan.train", "vllm"; empty when only options were given
    int line = 0;
    OptionList launcher; ///< of torchrun, srun, deepspeed …
    OptionList options;  ///< of the program
    std::map<std::string, LinedText> environment;
};

Launch splitCommand(const ShellCommand& command);

/// How many accelerators a launch uses, as far as it says.
struct LaunchSize {
    std::optional<std::int64_t> nodes;
    std::optional<std::int64_t> perNode;
    std::optional<std::int64_t> world;
    int line = 0;          ///< where it says so
    std::string openNodes; ///< what stands where the number of nodes should: a variable without a value; empty: nothing does
    int openNodesLine = 0;

    /// nodes × perNode, or what else is known; nothing when too little is.
    std::optional<std::int64_t> accelerators() const;
};

/// From the launcher's options (--nnodes, --nproc_per_node, srun's -N …), then from variables that scripts use for them.
LaunchSize launchSize(Launch& launch, const ShellVariables& variables);

} // namespace orrery
