// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/reader/reader.hpp"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>

namespace orrery {

/// What a file holds, as far as its first look tells.
enum class FileKind { scenario,
                      study,
                      model_config,
                      result,
                      cases,
                      search,
                      trace,
                      other };

/// By the document's `format`, or by the keys that only such a file has.
FileKind fileKind(const Json& document);

/// Whether there is a scenario in it, as far as its first look tells.
bool isScenarioFile(const QString& path);

/// By its start: what a profiler or tracer wrote, of any size, read no further than it takes to know.
bool isTraceFile(const QString& path);

/// "Llama 70B on 8 × DGX" → "llama-70b-on-8-dgx": safe on every file system.
QString fileNameFrom(const QString& name);

/// By its name: a launch script or a trainer's configuration, which `importCommandLine` reads.
bool isLaunchFile(const QString& path);

/// A DeepSpeed configuration, by keys that only these have.
bool isDeepSpeedConfig(const Json& document);

/// Reads a launch script or a trainer's configuration; what is missing, no regular file, not readable or far too large for one becomes a
/// problem.
std::optional<std::string> readLaunchFile(const QString& path, Problems& problems);

/// Reads any JSON file; a missing file, a folder, no permission or a syntax error becomes a problem.
std::optional<Json> readJsonFile(const QString& path, Problems& problems);

/// Reads a scenario; a file of another kind or of a later format is refused with what it is and what would do.
std::optional<Json> readScenarioFile(const QString& path, Problems& problems);
/// The same of a document that was read from `path`.
bool isReadableScenario(const Json& document, const QString& path, Problems& problems);

/// Reads a Hugging Face config.json.
std::optional<Json> readModelConfigFile(const QString& path, Problems& problems);

/// What tells a file's content from another one's: a hash of its bytes; empty when it can't be read.
QByteArray contentHash(const QString& path);

/// A scenario as its file has it.
QByteArray scenarioBytes(const Json& document);

/// Replaces the file's content in one step, or leaves it whole and says why.
Problems writeFileWhole(const QString& path, const QByteArray& bytes);

/// The document with its relative `model.config_file` or `graph_file` rewritten for a scenario that moves from one folder to another.
Json withRebasedFiles(const Json& document, const QString& fromFolder, const QString& toFolder);

/// Files that the scenario names and that lie outside `folder`, where links end, each once; those that don't exist are left out.
QStringList filesOutside(const Json& document, const QString& folder);

/// Reads the files that a scenario in `folder` names; outside it only those of `allowed`, as `filesOutside` spells them.
FileReader scenarioFileReader(const QString& folder, const QStringList& allowed = {});

} // namespace orrery
