// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/slurm_directives.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

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

} // namespace orrery
