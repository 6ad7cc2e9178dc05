// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/named_files.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

constexpr std::array<std::string_view, 5> fileKeys{"config_file", "graph_file", "file", "profile", "scenario"};

/// Parts that hold what is free or somebody else's: a model's configuration, what windows remember, results wanted.
constexpr std::array<std::string_view, 6> silentParts{"/model/config", "/model/graph", "/notes", "/view", "/measures", "/name"};

std::string escapedStep(std::string_view key) {
    std::string step;
    for (const char c : key) step += c == '~' ? std::string("~0") : c == '/' ? std::string("~1")
                                                                             : std::string(1, c);
    return step;
}

void collect(const Json& value, const std::string& pointer, std::string_view key, int depth, std::vector<NamedFile>& files) {
    constexpr int deepestName = 32;
    if (depth > deepestName || std::find(silentParts.begin(), silentParts.end(), pointer) != silentParts.end()) return;
    if (value.is_string()) {
        const bool isRecord = pointer.starts_with("/hybrid/ranks/") || pointer.starts_with("/hybrid/classes/");
        if (isRecord || std::find(fileKeys.begin(), fileKeys.end(), key) != fileKeys.end()) files.push_back({pointer, value.get<std::string>()});
        return;
    }
    if (value.is_object())
        for (const auto& [name, member] : value.items()) collect(member, pointer + "/" + escapedStep(name), name, depth + 1, files);
    else if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], pointer + "/" + std::to_string(i), key, depth + 1, files);
}

} // namespace

std::vector<NamedFile> namedFiles(const Json& document) {
    std::vector<NamedFile> files;
    collect(document, "", "", 0, files);
    return files;
}

bool leadsOutside(std::string_view path) {
    if (path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':')) return true;
    int depth = 0;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view step = path.substr(0, end);
        if (step == "..") {
            if (--depth < 0) return true;
        } else if (!step.empty() && step != ".") {
            ++depth;
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

} // namespace orrery
