// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"

#include <optional>
#include <string>

namespace orrery {

class Catalog; // core/catalog

/// A JSON document as it lies in a file, with the way to the files it names.
struct LoadedDocument {
    std::optional<Json> document; ///< nothing when `problems` says why
    Problems problems;
    FileReader readFile; ///< paths relative to the document's folder
};

/// Reads and parses a JSON file; "-" is standard input, whose relative paths count from the working directory. `FILE#NAME` is the variant NAME of the
/// scenario in FILE, unless a file is called so. A scenario text ("orrery:…") stands for the file whose content it is, in the argument or in the file.
LoadedDocument loadDocument(const std::string& path);

/// Reads a scenario file with everything it names.
ScenarioReading loadScenario(const std::string& path, const Catalog& catalog);

/// Reads regular files named relative to `folder`, up to 256 MiB, and unpacks those packed with gzip.
FileReader fileReaderFor(const std::string& folder);

/// A problem with a file as a whole.
Problem fileProblem(const std::string& code, const std::string& path, const std::string& message, const std::string& mend);

} // namespace orrery
