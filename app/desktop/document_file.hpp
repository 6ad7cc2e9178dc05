#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/reader.hpp"

#include <QByteArray>
#include <QString>

#include <optional>

namespace orrery {

/// What a file holds, as far as its first look tells.
enum class FileKind { scenario, study, model_config, result, cases, search, trace, other };

/// By the document's `format`, or by the keys that only such a file has.
FileKind fileKind(const Json& document);

/// Whether there is a scenario in it, as far as its first look tells.
bool isScenarioFile(const QString& path);

/// By its name: a launch script or a trainer's configuration, which `importCommandLine` reads.
bool isLaunchFile(const QString& path);

/// A DeepSpeed configuration, by keys that only these have.
bool isDeepSpeedConfig(const Json& document);

/// Reads any text file; what is missing, a folder, not readable or far too large becomes a problem.
std::optional<std::string> readTextDocument(const QString& path, Problems& problems);

/// Reads any JSON file; a missing file, a folder, no permission or a syntax error becomes a problem.
std::optional<Json> readJsonFile(const QString& path, Problems& problems);

/// Reads a scenario; a file of another kind or of a later format is refused with what it is and what would do.
std::optional<Json> readScenarioFile(const QString& path, Problems& problems);

/// Reads a Hugging Face config.json.
std::optional<Json> readModelConfigFile(const QString& path, Problems& problems);

/// A scenario as its file has it.
QByteArray scenarioBytes(const Json& document);

/// Replaces the file's content in one step, or leaves it whole and says why.
Problems writeFileWhole(const QString& path, const QByteArray& bytes);

/// The document with its relative `model.config_file` or `graph_file` rewritten for a scenario that moves from one folder to another.
Json withRebasedFiles(const Json& document, const QString& fromFolder, const QString& toFolder);

/// Reads the files that a scenario in `folder` names.
FileReader scenarioFileReader(const QString& folder);

} // namespace orrery
