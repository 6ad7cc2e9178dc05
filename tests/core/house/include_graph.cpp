// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/house/include_graph.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <sstream>
#include <string_view>

namespace orrery::test {
namespace {

/// Folders at the project's root whose files others include.
constexpr std::array<std::string_view, 5> roots{"core", "resources", "widgets", "app", "tests"};

/// Which of them may never include which.
struct Barrier {
    std::string_view from, to;
};
constexpr std::array<Barrier, 10> barriers{{{"core", "resources"},
                                            {"core", "widgets"},
                                            {"core", "app"},
                                            {"core", "tests"},
                                            {"resources", "widgets"},
                                            {"resources", "app"},
                                            {"resources", "tests"},
                                            {"widgets", "app"},
                                            {"widgets", "tests"},
                                            {"app", "tests"}}};

/// What builds and runs where there is no Qt.
constexpr std::array<std::string_view, 5> withoutQt{"core/", "resources/", "app/common/", "app/mpi/", "app/cli/"};

std::string rootOf(const std::string& path) { return path.substr(0, path.find('/')); }

bool isSource(const std::string& path) { return path.ends_with(".cpp") || path.ends_with(".hpp"); }

std::string stemOf(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.rfind('.'));
}

/// `QString`, `QtTest/QTest`, `qcustomplot.h`.
bool isOfQt(const std::string& included) {
    if (included.starts_with("qcustomplot") || included.starts_with("Qt")) return true;
    return included.size() > 1 && included[0] == 'Q' && std::isupper(static_cast<unsigned char>(included[1])) != 0;
}

/// What the project calls a target where others declare it: `report` for a folder of core, else the whole name.
std::string wordFor(const BuildTarget& target) {
    constexpr std::string_view core = "orrery_core_";
    return target.name.starts_with(core) ? target.name.substr(core.size()) : target.name;
}

} // namespace

IncludeGraph::IncludeGraph(const SourceTree& tree) : targets_(readTargets(tree)) {
    assignFiles(tree);
    readIncludes(tree);
    checkDeclared();
    checkUsed();
    checkOrder();
    std::sort(problems_.begin(), problems_.end());
}

void IncludeGraph::assignFiles(const SourceTree& tree) {
    std::map<std::string, std::vector<std::size_t>> inFolder;
    for (std::size_t i = 0; i < targets_.size(); ++i) inFolder[targets_[i].folder].push_back(i);
    for (const auto& [path, text] : tree) {
        if (!isSource(path)) continue;
        const std::vector<std::size_t>& here = inFolder[folderOf(path)];
        const auto lists = [&](std::size_t target) {
            const auto& sources = targets_[target].sources;
            return std::any_of(sources.begin(), sources.end(), [&](const std::string& source) { return stemOf(source) == stemOf(path); });
        };
        const auto owner = here.size() == 1 ? here.begin() : std::find_if(here.begin(), here.end(), lists);
        if (owner != here.end()) owners_[path] = *owner;
        else report(path + ":1", "belongs to no target: move it to the folder of the target that it is a part of, or list it among the target's sources");
    }
}

void IncludeGraph::readIncludes(const SourceTree& tree) {
    for (const auto& [path, text] : tree) {
        if (!isSource(path)) continue;
        std::istringstream lines(text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            constexpr std::string_view directive = "#include ";
            if (!line.starts_with(directive) || line.size() < directive.size() + 2) continue;
            const char open = line[directive.size()];
            const auto end = line.find(open == '<' ? '>' : '"', directive.size() + 1);
            if (end != std::string::npos) readInclude(path, number, line.substr(directive.size() + 1, end - directive.size() - 1), open == '"');
        }
    }
}

void IncludeGraph::readInclude(const std::string& path, int line, const std::string& included, bool quoted) {
    const std::string place = path + ":" + std::to_string(line);
    const auto startsPath = [&](std::string_view folder) { return path.starts_with(folder); };
    if (isOfQt(included) && std::any_of(withoutQt.begin(), withoutQt.end(), startsPath)) {
        report(place, "includes " + included + ", which is of Qt: " + folderOf(path) + " builds without it, so do this in widgets or app/desktop");
        return;
    }
    if (!quoted || std::find(roots.begin(), roots.end(), rootOf(included)) == roots.end()) return;
    const auto divides = [&](const Barrier& barrier) { return barrier.from == rootOf(path) && barrier.to == rootOf(included); };
    if (std::any_of(barriers.begin(), barriers.end(), divides)) {
        report(place, "includes " + included + ": nothing in " + rootOf(path) + " may know of " + rootOf(included) +
                          "; hand in what is needed as a value or by a signal");
        return;
    }
    const auto from = owners_.find(path), to = owners_.find(included);
    if (to == owners_.end()) report(place, "includes " + included + ", which is no file of a target: correct the path");
    else if (from != owners_.end() && from->second != to->second) arrows_.try_emplace({from->second, to->second}, Arrow{place, included});
}

bool IncludeGraph::declares(const BuildTarget& target, const std::string& name) const {
    return std::any_of(target.uses.begin(), target.uses.end(), [&](const DeclaredUse& use) { return use.target == name; });
}

void IncludeGraph::checkDeclared() {
    for (const auto& [ends, arrow] : arrows_) {
        const BuildTarget &from = targets_[ends.first], &to = targets_[ends.second];
        if (!declares(from, to.name))
            report(arrow.place, "includes " + arrow.included + ", but " + from.name + " does not declare that it uses " + to.name + ": add " + wordFor(to) +
                                    " to its uses in " + from.buildFile() + ", or do without");
    }
}

void IncludeGraph::checkUsed() {
    for (std::size_t i = 0; i < targets_.size(); ++i)
        for (const DeclaredUse& use : targets_[i].uses) {
            const std::string place = targets_[i].buildFile() + ":" + std::to_string(use.line);
            if (use.target.starts_with("Qt6::") && rootOf(targets_[i].folder) == "core") report(place, "links " + use.target + ": core builds without Qt");
            const auto used = std::find_if(targets_.begin(), targets_.end(), [&](const BuildTarget& target) { return target.name == use.target; });
            if (used == targets_.end()) continue; // a library from elsewhere
            if (!arrows_.contains({i, static_cast<std::size_t>(used - targets_.begin())}))
                report(place, targets_[i].name + " declares that it uses " + use.target + ", but includes nothing of it: remove " + wordFor(*used));
        }
}

void IncludeGraph::checkOrder() {
    for (const auto& [ends, arrow] : arrows_) {
        if (ends.second < ends.first) continue;
        const BuildTarget &from = targets_[ends.first], &to = targets_[ends.second];
        const std::string way = circle(ends);
        report(arrow.place,
               "includes " + arrow.included + ", an arrow upwards: " + to.name + " is added after " + from.name +
                   (way.empty() ? ": move what is needed to a folder below both, or add " + to.folder + " before " + from.folder
                                : " and uses it, a circle (" + way + "): move what both need to a folder below them"));
    }
}

std::string IncludeGraph::circle(Ends ends) const {
    std::map<std::size_t, std::size_t> cameFrom{{ends.second, ends.first}};
    std::deque<std::size_t> open{ends.second};
    while (!open.empty() && !cameFrom.contains(ends.first)) {
        const std::size_t at = open.front();
        open.pop_front();
        for (auto arrow = arrows_.lower_bound({at, 0}); arrow != arrows_.end() && arrow->first.first == at; ++arrow)
            if (cameFrom.try_emplace(arrow->first.second, at).second) open.push_back(arrow->first.second);
    }
    if (!cameFrom.contains(ends.first)) return "";
    std::string way = targets_[ends.first].name;
    std::size_t at = ends.first;
    do {
        at = cameFrom.at(at);
        way.insert(0, targets_[at].name + " → ");
    } while (at != ends.first);
    return way;
}

} // namespace orrery::test
