// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/hidden_commands.hpp"

#include "core/exchange/launch_script/launch.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace orrery {
namespace {

constexpr std::size_t longestHidden = 200'000; ///< characters read a second time; launches have some thousands

/// Lines with those that go on behind a backslash, each with the line where it begins.
std::vector<LinedText> logicalLines(const std::string& text) {
    std::vector<LinedText> lines;
    const LinedText whole = LinedText::ofFile(std::string_view(text).substr(0, longestHidden));
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= whole.size(); ++i) {
        if (i < whole.size() && whole[i] != '\n') continue;
        std::size_t last = i;
        while (last > begin && (whole[last - 1] == ' ' || whole[last - 1] == '\t')) --last;
        if (i < whole.size() && last > begin && whole[last - 1] == '\\') continue;
        if (i > begin) lines.push_back(whole.part(begin, i));
        begin = i + 1;
    }
    return lines;
}

/// Digits at the end of "http://host:8100" or "8100".
std::string portIn(const std::string& text) {
    std::size_t begin = text.size();
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
    const bool stands = begin == 0 || text[begin - 1] == ':';
    return stands ? text.substr(begin) : std::string();
}

} // namespace

std::vector<ShellCommand> hiddenCommands(const std::string& text, const ShellScript& script, const std::string& fileName, const ImportOptions& options) {
    std::vector<ShellCommand> commands;
    std::size_t read = 0;
    const auto readAgain = [&](const LinedText& part) {
        if (part.size() > longestHidden || (read += part.size()) > longestHidden) return;
        ShellScript inner = readShellScript(part, fileName, options.variables, {});
        commands.insert(commands.end(), std::make_move_iterator(inner.commands.begin()), std::make_move_iterator(inner.commands.end()));
    };
    for (const ShellCommand& command : script.commands)
        for (const LinedText& word : command.words)
            if (word.text().find(' ') != std::string::npos) readAgain(word);
    for (const auto& [name, content] : script.files) readAgain(content);
    if (commands.size() < 2) // nothing but what stands in the open: the lines themselves
        for (const LinedText& line : logicalLines(text)) readAgain(line);
    return commands;
}

std::map<std::string, std::string> rolesByPort(const ShellScript& script) {
    std::map<std::string, std::string> roles;
    for (const ShellCommand& command : script.commands) {
        const Launch launch = splitCommand(command);
        for (const GivenOption& option : launch.options.all()) {
            const bool prefill = option.name == "prefill" || option.name.starts_with("prefiller"), decode = option.name == "decode" || option.name.starts_with("decoder");
            if (!prefill && !decode) continue;
            for (const std::string& value : option.values)
                if (const std::string port = portIn(value); !port.empty()) roles[port] = prefill ? "prefill" : "decode";
        }
    }
    return roles;
}

} // namespace orrery
