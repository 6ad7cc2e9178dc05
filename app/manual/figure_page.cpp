// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/manual/figure_page.hpp"

#include "core/base/json.hpp"
#include "resources/resources.hpp"

namespace orrery {
namespace {

std::string_view firstStep(std::string_view path) { return path.substr(0, path.find('/')); }
std::string_view behind(std::string_view path) { return path.find('/') == std::string_view::npos ? std::string_view() : path.substr(path.find('/') + 1); }

bool matches(std::string_view pattern, std::string_view path) {
    if (pattern.empty() || path.empty()) return pattern.empty() && path.empty();
    if (firstStep(pattern) == "**") {
        if (behind(pattern).empty()) return true;
        for (std::string_view rest = path; !rest.empty(); rest = behind(rest))
            if (matches(behind(pattern), rest)) return true;
        return false;
    }
    return (firstStep(pattern) == "*" || firstStep(pattern) == firstStep(path)) && matches(behind(pattern), behind(path));
}

std::string wordOf(const Json& row, const char* key) { return row.at(key).get<std::string>(); }

} // namespace

bool speaksOf(std::string_view pattern, std::string_view pointer) { return !pattern.empty() && !pointer.empty() && matches(pattern.substr(1), pointer.substr(1)); }

std::vector<FigureEntry> figureEntries() {
    std::vector<FigureEntry> entries;
    const Json document = Json::parse(resourceText("manual/figures.json"));
    for (const Json& row : document.at("figures")) entries.push_back({wordOf(row, "pointer"), wordOf(row, "unit"), wordOf(row, "of"), wordOf(row, "meaning")});
    return entries;
}

ManualPage figurePage() {
    ManualPage page{"figures", "Figures of a result", "# Figures of a result\n\nEach heading is a pointer into what `orrery-cli simulate SCENARIO --json` prints: `*` stands for one step of it, `**` for several. With `--explain` a result also says "
                                                      "by which formula, from which inputs and from which source each of its figures comes; in the window a click on a figure says it.\n"};
    for (const FigureEntry& entry : figureEntries()) {
        page.text += "\n## `" + entry.pattern + "`\n\n" + entry.meaning + "\n\n";
        page.text += (entry.unit == "text" ? "*Is* a text." : entry.unit == "1" ? "*Is* a number without a unit."
                                                                                : "*In* " + entry.unit + ".") +
                     " *Of* " + entry.of + ".\n";
    }
    return page;
}

ManualPage constantPage() {
    const Json document = Json::parse(resourceText("catalog/physics.json"));
    ManualPage page{"constants", "Constants and their sources", "# Constants and their sources\n\nFigures of hardware and software that belong to no single accelerator, framework or library, each with the range of what is possible and where it is from. "
                                                                "What is assumed says so. Accelerators, platforms, models and frameworks have theirs in `orrery-cli list`; constants fitted to measured runs are those of `orrery-cli calibrate`.\n"};
    for (const auto& [name, constant] : document.at("constants").items()) {
        const std::string unit = constant.at("unit") == "1" ? "" : " " + constant.at("unit").get<std::string>();
        page.text += "\n## `" + name + "`\n\n";
        for (const auto& [key, value] : constant.items())
            if (value.is_string() && key != "unit" && key != "source") page.text += value.get<std::string>() + "\n\n";
        page.text += "*Is* " + constant.at("value").dump() + unit + ", possible from " + constant.at("range").at(0).dump() + " to " + constant.at("range").at(1).dump() + ".\n\n*Source:* " + constant.at("source").get<std::string>() + "\n";
    }
    return page;
}

} // namespace orrery
