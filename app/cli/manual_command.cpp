// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/manual_command.hpp"

#include "app/cli/common/output.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/manual/manual.hpp"
#include "core/base/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace orrery {
namespace {

void addCommand(const CLI::App& command, const std::string& name, std::string& text) {
    text += "\n## `" + name + "`\n\n```text\n" + command.help(name) + "```\n";
    for (const CLI::App* part : command.get_subcommands([](const CLI::App*) { return true; })) addCommand(*part, name + " " + part->get_name(), text);
}

ManualPage commandPage(const CLI::App& app) {
    ManualPage page{"commands", "Commands", "# Commands\n\nWhat `--help` says of each. `orrery render --help` says how charts and reports are drawn.\n"};
    addCommand(app, "orrery-cli", page.text);
    return page;
}

/// From the heading to the next of its rank.
std::string partOf(const std::string& text, const std::string& heading) {
    const std::string mark = "\n## `" + heading + "`\n";
    const std::size_t begin = text.find(mark);
    if (begin == std::string::npos) return text;
    const std::size_t end = text.find("\n## ", begin + mark.size());
    return text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
}

int writePages(const std::vector<ManualPage>& pages, const std::string& folder) {
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    for (const ManualPage& page : pages) {
        const std::string file = (std::filesystem::path(folder) / (page.name + ".md")).string();
        std::string error;
        if (!writeFileAtomically(file, page.text, error)) return refuse(fileProblem("cannot-write-file", file, error, "Name a folder that you may write to, on a disk with room."), false);
    }
    std::cout << pages.size() << " pages written to " << folder << '\n';
    return exit_done;
}

int listPages(const std::vector<ManualPage>& pages) {
    std::size_t widest = 0;
    for (const ManualPage& page : pages) widest = std::max(widest, page.name.size());
    for (const ManualPage& page : pages) std::cout << page.name << std::string(widest + 2 - page.name.size(), ' ') << page.title << '\n';
    return exit_done;
}

int refuseTopic(const std::vector<ManualPage>& pages, const std::string& topic) {
    std::vector<std::string> names;
    for (const ManualPage& page : pages) names.push_back(page.name);
    Problem problem;
    problem.code = "no-such-page";
    problem.message = "The manual has no page, key or figure " + inQuotes(shortened(topic, 100)) + ".";
    const auto nearest = nearestWord(topic, names);
    problem.mend = nearest && nearest->likely ? "Did you mean " + inQuotes(nearest->word) + "? \"orrery-cli manual\" lists the pages." : "\"orrery-cli manual\" lists the pages.";
    return refuse(std::move(problem), false);
}

} // namespace

void addManualOptions(CLI::App& command, ManualOptions& options) {
    command.add_option("TOPIC", options.topic, "A page, a key of a scenario (/workload/sequence_length) or a figure of a result (/ttft_s/p99); left out: the list of pages");
    command.add_option("--out", options.folder, "Write all pages into this folder, as Markdown");
}

int runManual(const ManualOptions& options, const CLI::App& app) {
    std::vector<ManualPage> pages = manualPages();
    pages.push_back(commandPage(app));
    if (!options.folder.empty()) return writePages(pages, options.folder);
    if (options.topic.empty()) return listPages(pages);
    std::string name = options.topic, heading;
    if (name.front() == '/') {
        std::optional<ManualPlace> place = placeOfFigure(name);
        if (const auto key = placeOfKey(name)) {
            // The nearest key above is said of what is no key itself; a figure of that name is meant then.
            const bool isKey = std::count(key->heading.begin(), key->heading.end(), '/') == std::count(name.begin(), name.end(), '/');
            if (!place || isKey) place = key;
        }
        if (!place) return refuseTopic(pages, name);
        name = place->page;
        heading = place->heading;
    }
    const auto page = std::find_if(pages.begin(), pages.end(), [&](const ManualPage& one) { return one.name == name; });
    if (page == pages.end()) return refuseTopic(pages, name);
    std::cout << (heading.empty() ? page->text : partOf(page->text, heading));
    return exit_done;
}

} // namespace orrery
