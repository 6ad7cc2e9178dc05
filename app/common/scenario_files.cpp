// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/scenario_files.hpp"

#include "app/common/file_io.hpp"
#include "core/base/gzip.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/share_text.hpp"
#include "core/scenario/document/variants.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace orrery {

FileReader fileReaderFor(const std::string& folder) {
    return [folder](const std::string& path, std::string& error) {
        const ReadRule rule{.regularOnly = true};
        std::optional<std::string> bytes = tryReadFile((std::filesystem::path(folder) / path).string(), error, rule);
        return bytes && isGzip(*bytes) ? inflateGzip(*bytes, error, rule.most) : bytes;
    };
}

Problem fileProblem(const std::string& code, const std::string& path, const std::string& message,
                    const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.file = path;
    problem.message = message;
    problem.mend = mend;
    return problem;
}

namespace {

/// A scenario that stands in the argument itself; its relative paths count from the working directory.
LoadedDocument loadText(const std::string& text) {
    LoadedDocument loaded;
    loaded.readFile = fileReaderFor(".");
    loaded.document = documentFromShareText(text, loaded.problems);
    return loaded;
}

LoadedDocument loadFile(const std::string& path) {
    std::error_code ignored;
    if (isShareText(path) && !std::filesystem::exists(path, ignored)) return loadText(path);
    const bool standardInput = path == "-";
    LoadedDocument loaded;
    loaded.readFile = fileReaderFor(standardInput ? "." : std::filesystem::path(path).parent_path().string());
    std::string error;
    const std::optional<std::string> text = standardInput ? readStandardInput(error) : readTextFile(path, error);
    if (!text) {
        loaded.problems.push_back(
            fileProblem("cannot-read-file", path, error, "Name a JSON file that exists and that you may read."));
        return loaded;
    }
    if (isShareText(*text)) {
        loaded.document = documentFromShareText(*text, loaded.problems);
        return loaded;
    }
    loaded.document = parseJson(*text, standardInput ? "standard input" : path, loaded.problems);
    return loaded;
}

} // namespace

LoadedDocument loadDocument(const std::string& path) {
    const std::size_t mark = path.rfind('#');
    std::error_code ignored;
    if (mark == std::string::npos || mark == 0 || std::filesystem::exists(path, ignored)) return loadFile(path);
    LoadedDocument loaded = loadFile(path.substr(0, mark));
    if (!loaded.document || hasErrors(loaded.problems)) return loaded;
    const std::optional<BoxedJson> variant = documentOfVariant(*loaded.document, path.substr(mark + 1), loaded.problems);
    loaded.document = variant ? std::optional<Json>(**variant) : std::nullopt;
    return loaded;
}

ScenarioReading loadScenario(const std::string& path, const Catalog& catalog) {
    LoadedDocument loaded = loadDocument(path);
    if (!loaded.document || hasErrors(loaded.problems)) return {std::nullopt, std::move(loaded.problems)};
    ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    reading.problems.insert(reading.problems.begin(), loaded.problems.begin(), loaded.problems.end());
    return reading;
}

} // namespace orrery
