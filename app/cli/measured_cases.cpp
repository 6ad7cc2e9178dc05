// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measured_cases.hpp"

#include "app/common/scenario_files.hpp"

#include <algorithm>

namespace orrery {

LoadedCases loadCases(const std::vector<std::string>& files, const std::vector<std::string>& settings) {
    LoadedCases loaded;
    std::vector<FileReader> readers;
    for (const std::string& file : files) {
        const LoadedDocument document = loadDocument(file);
        loaded.problems.insert(loaded.problems.end(), document.problems.begin(), document.problems.end());
        if (!document.document) continue;
        CasesReading reading = readCases(*document.document);
        loaded.problems.insert(loaded.problems.end(), reading.problems.begin(), reading.problems.end());
        std::move(reading.cases.begin(), reading.cases.end(), std::back_inserter(loaded.cases));
        readers.push_back(document.readFile);
    }
    for (const std::string& file : settings) {
        const LoadedDocument document = loadDocument(file);
        loaded.problems.insert(loaded.problems.end(), document.problems.begin(), document.problems.end());
        if (!document.document) continue;
        const Problems wrong = layOverEngines(loaded.cases, *document.document);
        loaded.problems.insert(loaded.problems.end(), wrong.begin(), wrong.end());
    }
    loaded.readFile = [readers](const std::string& path, std::string& error) {
        std::optional<std::string> text;
        for (const FileReader& reader : readers)
            if (!text && reader) text = reader(path, error);
        return text;
    };
    return loaded;
}

} // namespace orrery
