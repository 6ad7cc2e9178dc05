// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/communication_file.hpp"

#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"

namespace orrery {

std::optional<CommunicationRules> communicationFile(const std::string& fileName, Problems& problems) {
    if (fileName.empty()) return shippedCommunicationRules();
    const bool standardInput = fileName == "-";
    const std::string name = standardInput ? "standard input" : fileName;
    std::string error;
    const auto text = standardInput ? readStandardInput(error) : readTextFile(fileName, error);
    if (!text) {
        problems.push_back(fileProblem("cannot-read-file", name, error, "Name a file that exists and that you may read."));
        return std::nullopt;
    }
    const auto list = parseJsonText(*text, name, problems);
    return list ? readCommunicationRules(*list, name, "", problems) : std::nullopt;
}

} // namespace orrery
