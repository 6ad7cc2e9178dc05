// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/lined_text.hpp"
#include "core/exchange/launch_script/shell_variables.hpp"

namespace orrery {

/// Sets what Slurm would set from a script's `#SBATCH` lines: SLURM_NNODES, SLURM_NTASKS_PER_NODE, SLURM_GPUS_ON_NODE.
void setSlurmVariables(const LinedText& script, ShellVariables& variables);

} // namespace orrery
