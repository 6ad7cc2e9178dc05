// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line_mistake.hpp"

#include "core/base/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {
namespace {

Problem badCommandLine(std::string message, std::string mend) {
    Problem problem;
    problem.code = "bad-command-line";
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::vector<std::string> commandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
    return names;
}

std::string callOf(const CLI::App& app) { return app.get_parent() ? callOf(*app.get_parent()) + " " + app.get_name() : app.get_name(); }

std::string helpOf(const CLI::App& app) { return "See \"" + callOf(app) + " --help\"."; }

std::string nearestOf(std::string_view word, const std::vector<std::string>& known) {
    const auto nearest = nearestWord(word, known);
    return nearest && nearest->likely ? "Did you mean \"" + nearest->word + "\"? " : "";
}

const CLI::App* commandNamed(const CLI::App& app, std::string_view word) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (command->get_name() == word) return command;
    return nullptr;
}

bool isOption(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

/// "--threads" of "--threads=4".
std::string optionName(std::string_view word) { return std::string(word.substr(0, word.find('='))); }

std::vector<std::string> optionNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

} // namespace

Problem commandLineMistake(const CLI::App& app, int argc, const char* const* argv, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    int at = 1;
    for (; at < argc && command->get_require_subcommand_min() > 0; ++at) {
        if (isOption(argv[at])) continue;
        const CLI::App* named = commandNamed(*command, argv[at]);
        const std::vector<std::string> known = commandNames(*command);
        if (!named)
            return badCommandLine("\"" + callOf(*command) + "\" has no command \"" + argv[at] + "\".",
                                  nearestOf(argv[at], known) + "It has " + joinWords(known, "and") + ".");
        command = named;
    }
    if (command->get_require_subcommand_min() > 0)
        return badCommandLine("\"" + callOf(*command) + "\" needs a command.", "Name one: " + joinWords(commandNames(*command), "or") + ".");
    if (dynamic_cast<const CLI::ExtrasError*>(&error))
        for (; at < argc; ++at)
            if (std::string_view(argv[at]).starts_with("--") && !command->get_option_no_throw(optionName(argv[at])))
                return badCommandLine("\"" + callOf(*command) + "\" has no option \"" + optionName(argv[at]) + "\".",
                                      nearestOf(optionName(argv[at]), optionNames(*command)) + helpOf(*command));
    return badCommandLine(std::string(error.what()) + ".", helpOf(*command));
}

} // namespace orrery
