// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/shell_script.hpp"

#include <map>
#include <string>
#include <vector>

namespace orrery {

/// A command that a container of a YAML file runs: `command` and `args` of a Kubernetes or Dynamo manifest, `command` of a compose file
/// (with the image in front, where the image starts the program by itself).
struct YamlCommand {
    ShellCommand command;
    std::int64_t replicas = 1; ///< copies of the container, of the nearest `replicas` around it
    std::string role;          ///< "prefill" or "decode", where a Dynamo graph says so beside the command
};

/// Every one of the file's documents, in their order; nothing where the text is no YAML or has none. Scripts behind `sh -c` are read as a
/// shell reads them.
std::vector<YamlCommand> readYamlCommands(const std::string& text, const std::string& fileName);

/// The files that ConfigMaps of the text hold, by their names.
std::map<std::string, LinedText> readYamlFiles(const std::string& text);

} // namespace orrery
