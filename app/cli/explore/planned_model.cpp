// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/planned_model.hpp"

#include "app/common/file_io.hpp"
#include "core/answers/planner/asked_machine.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/scenario/reader/reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace orrery {
namespace {

namespace files = std::filesystem;

/// Where Hugging Face's libraries keep what they downloaded.
files::path huggingFaceCache() {
    if (const char* hub = std::getenv("HF_HUB_CACHE")) return hub;
    if (const char* home = std::getenv("HF_HOME")) return files::path(home) / "hub";
    if (const char* home = std::getenv("HOME")) return files::path(home) / ".cache" / "huggingface" / "hub";
    return {};
}

bool isFile(const files::path& path) {
    std::error_code fault;
    return files::is_regular_file(path, fault);
}

bool isFolder(const files::path& path) {
    std::error_code fault;
    return files::is_directory(path, fault);
}

/// The config of a folder: its own, or that of a cached model's newest snapshot, of equally old ones the last by name.
std::optional<files::path> configIn(const files::path& folder) {
    if (isFile(folder / "config.json")) return folder / "config.json";
    std::error_code fault;
    std::optional<files::path> newest;
    std::pair<files::file_time_type, std::string> newestOf;
    for (const files::directory_entry& snapshot : files::directory_iterator(folder / "snapshots", fault)) {
        const files::path config = snapshot.path() / "config.json";
        if (!isFile(config)) continue;
        std::pair found{files::last_write_time(snapshot.path(), fault), snapshot.path().filename().string()};
        if (newest && found < newestOf) continue;
        newest = config;
        newestOf = std::move(found);
    }
    return newest;
}

Problem modelProblem(const char* code, std::string message, std::string mend) {
    Problem problem;
    problem.code = code;
    problem.pointer = "/model";
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::optional<NamedModel> modelOf(const files::path& config, const std::string& name, Problems& problems) {
    std::string error;
    const auto text = readTextFile(config.string(), error, {.regularOnly = true});
    if (!text) {
        problems.push_back(modelProblem("unreadable-file", error, "Name a model's config.json or its folder."));
        return std::nullopt;
    }
    auto document = parseJson(*text, config.string(), problems);
    if (!document || hasErrors(problems)) return std::nullopt;
    return NamedModel{Json{{"config", std::move(*document)}}, name};
}

std::string nameOf(const files::path& path) {
    const files::path named = path.filename().empty() ? path.parent_path() : path;
    return named.filename() == "config.json" && named.has_parent_path() ? named.parent_path().filename().string() : named.filename().string();
}

} // namespace

std::optional<NamedModel> namedModel(const std::string& word, const Catalog& catalog, Problems& problems) {
    if (catalog.model(word)) return NamedModel{Json{{"preset", word}}, word};
    if (isFile(word)) return modelOf(word, nameOf(word), problems);
    if (isFolder(word)) {
        if (const auto config = configIn(word)) return modelOf(*config, nameOf(word), problems);
        problems.push_back(modelProblem("no-config", "The folder \"" + word + "\" holds no config.json, nor snapshots that do.", "Name the folder of a model as Hugging Face stores it."));
        return std::nullopt;
    }
    std::string cached = "models--" + word;
    if (const std::size_t slash = cached.find('/'); slash != std::string::npos) cached.replace(slash, 1, "--");
    const files::path cache = huggingFaceCache();
    if (!cache.empty() && cached.find('/') == std::string::npos)
        if (const auto config = configIn(cache / cached)) return modelOf(*config, word, problems);
    const std::string preset = servedModel(word).preset;
    if (catalog.model(preset)) return NamedModel{Json{{"preset", preset}}, preset};
    std::vector<std::string> known;
    for (const ModelEntry& entry : catalog.models()) known.push_back(entry.id);
    problems.push_back(modelProblem("unknown-model", "\"" + word + "\" is no model of the catalogue, no file or folder, and not in Hugging Face's cache.",
                                    "The nearest are " + joinWords(nearestNames(preset, std::move(known)), "and") + "; \"orrery-cli list models\" lists all."));
    return std::nullopt;
}

} // namespace orrery
