// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/exchange/launch_script/option_list.hpp"
#include "core/exchange/launch_script/shell_expansion.hpp"
#include "core/scenario/reader/reader.hpp"

#include <map>
#include <string>
#include <vector>

namespace orrery {

/// A command that the script would have run, its words expanded.
struct ShellCommand {
    std::vector<LinedText> words;
    std::vector<LinedText> outer;                 ///< of a command inside `srun … bash -c "…"`: the words around it
    std::map<std::string, LinedText> environment; ///< NGPU=8 in front of it
};

/// What reading a script gives.
struct ShellScript {
    std::vector<ShellCommand> commands;
    ShellVariables variables;
    std::map<std::string, LinedText> files; ///< written by the script itself: cat <<EOT > ds_config.json
    Problems problems;                      ///< what could not be followed
};

/// Reads a shell script the way a shell would run it, without running anything: assignments, arrays, strings of
/// options, defaults, arithmetic, functions, `source`; an `if` whose condition is known takes its branch, a loop runs
/// once. `#SBATCH` directives set the variables that Slurm would. `given` stands for the environment.
ShellScript readShellScript(const LinedText& text, const std::string& fileName, const std::map<std::string, std::string>& given,
                            const FileReader& readFile);

/// The part after the last slash.
std::string baseName(const std::string& path);

} // namespace orrery
