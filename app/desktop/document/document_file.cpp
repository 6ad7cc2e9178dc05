// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/document_file.hpp"

#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/desktop/background/background_task.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/scenario/document/named_files.hpp"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace orrery {
namespace {

/// A scenario or a config is kilobytes; what is this large (bytes) is something else, and not worth a wait.
constexpr qint64 largestFile = qint64{64} * 1024 * 1024;
constexpr qint64 traceHead = 4'000'000;         ///< bytes: what a profiler says of itself before its first event fits in
constexpr qint64 largestLaunchFile = 4'000'000; ///< as much as an import reads

struct DocumentFile {
    Q_DECLARE_TR_FUNCTIONS(DocumentFile)
};

Problem problemWith(const char* code, const QString& path, const QString& message, const QString& mend) {
    Problem problem;
    problem.code = code;
    problem.file = path.toStdString();
    problem.message = message.toStdString();
    problem.mend = mend.toStdString();
    return problem;
}

std::optional<std::string> textOf(const QString& path, Problems& problems, qint64 most = largestFile) {
    const QFileInfo info(path);
    if (info.size() > most) {
        const bool launch = most < largestFile;
        problems.push_back(problemWith("file-too-large", path,
                                       (launch ? DocumentFile::tr("%1 has %2 MB; no launch script is that large.") : DocumentFile::tr("%1 has %2 MB; no scenario is that large."))
                                           .arg(path)
                                           .arg(info.size() / 1000000),
                                       launch ? DocumentFile::tr("Choose the script or the configuration that starts the training.")
                                              : DocumentFile::tr("Choose a scenario or a model's config.json.")));
        return std::nullopt;
    }
    std::string error;
    std::optional<std::string> text = readTextFile(path.toStdString(), error, {.regularOnly = true, .most = static_cast<std::size_t>(most)});
    if (!text) {
        const QString mend = info.isDir()                      ? DocumentFile::tr("Choose a file inside the folder.")
                             : info.exists() && !info.isFile() ? DocumentFile::tr("Choose a regular file.")
                             : info.exists()                   ? DocumentFile::tr("Check its permissions.")
                                                               : DocumentFile::tr("Check the name, or choose another file.");
        problems.push_back(problemWith("cannot-read-file", path, QString::fromStdString(error), mend));
    }
    return text;
}

bool formatStartsWith(const Json& document, const char* start) {
    if (!document.is_object()) return false;
    const auto format = document.find("format");
    return format != document.end() && format->is_string() && format->get_ref<const std::string&>().starts_with(start);
}

/// Says what the file is instead of the thing that was wanted.
Problem otherKind(const QString& path, FileKind kind) {
    const QString name = QFileInfo(path).fileName();
    switch (kind) {
    case FileKind::result:
        return problemWith("is-a-result", path, DocumentFile::tr("%1 is a result. Orrery can't show saved results yet.").arg(name),
                           DocumentFile::tr("Open the scenario it was computed from."));
    case FileKind::cases:
        return problemWith("is-a-case-list", path, DocumentFile::tr("%1 is a list of measured cases.").arg(name),
                           DocumentFile::tr("Run it with “orrery-cli validate”."));
    case FileKind::search:
        return problemWith("is-a-search", path, DocumentFile::tr("%1 is the outcome of a search. Orrery can't show these yet.").arg(name),
                           DocumentFile::tr("Open the scenario it was made from."));
    case FileKind::trace:
        return problemWith("is-a-trace", path, DocumentFile::tr("%1 is a recorded trace, not a scenario.").arg(name),
                           DocumentFile::tr("Open it with “Open”: it has a workspace of its own."));
    case FileKind::study:
        return problemWith("is-a-study", path, DocumentFile::tr("%1 is a study of many scenarios.").arg(name),
                           DocumentFile::tr("Open it with “Open”: it has a window of its own."));
    case FileKind::model_config:
        return problemWith("is-a-model-config", path, DocumentFile::tr("%1 is a model's configuration, not a scenario.").arg(name),
                           DocumentFile::tr("Open it with “Model from file”."));
    default:
        return problemWith("not-a-scenario", path, DocumentFile::tr("%1 is JSON, but not a scenario.").arg(name),
                           DocumentFile::tr("A scenario begins with \"format\": \"orrery-scenario/1\"."));
    }
}

} // namespace

QString fileNameFrom(const QString& name) {
    QString plain = name.toLower();
    static const QRegularExpression other(QStringLiteral("[^a-z0-9.]+"));
    plain.replace(other, QStringLiteral("-"));
    while (plain.startsWith(u'-') || plain.startsWith(u'.')) plain.remove(0, 1);
    while (plain.endsWith(u'-') || plain.endsWith(u'.')) plain.chop(1);
    return plain.isEmpty() ? QStringLiteral("scenario") : plain;
}

bool isLaunchFile(const QString& path) {
    static const QStringList endings{"sh", "bash", "slurm", "sbatch", "sub", "toml", "yaml", "yml", "txt", "cmd", "args"};
    return endings.contains(QFileInfo(path).suffix().toLower());
}

bool isScenarioFile(const QString& path) {
    if (isLaunchFile(path)) return false;
    return inBackground<bool>(DocumentFile::tr("Reading %1…").arg(QFileInfo(path).fileName()), [path] {
               Problems ignored;
               const std::optional<Json> json = readJsonFile(path, ignored);
               return json && fileKind(*json) == FileKind::scenario;
           })
        .value_or(false);
}

bool isTraceFile(const QString& path) {
    if (!QFileInfo(path).isFile()) return false;
    if (path.endsWith(QStringLiteral(".et"))) return true; // a list of messages says nothing at its start
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return false;
    const QByteArray head = file.read(traceHead);
    return looksLikeTrace({head.constData(), static_cast<std::size_t>(head.size())});
}

bool isDeepSpeedConfig(const Json& document) {
    for (const char* key : {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization"})
        if (document.is_object() && document.contains(key)) return true;
    return false;
}

std::optional<std::string> readLaunchFile(const QString& path, Problems& problems) { return textOf(path, problems, largestLaunchFile); }

FileKind fileKind(const Json& document) {
    if (formatStartsWith(document, "orrery-scenario/")) return FileKind::scenario;
    if (formatStartsWith(document, "orrery-study/")) return FileKind::study;
    if (formatStartsWith(document, "orrery-result/")) return FileKind::result;
    if (formatStartsWith(document, "orrery-cases/")) return FileKind::cases;
    if (formatStartsWith(document, "orrery-search/") || formatStartsWith(document, "orrery-comparison/")) {
        return FileKind::search;
    }
    if (document.is_array()) {
        const bool events = !document.empty() && document.front().is_object() && document.front().contains("ph");
        return events ? FileKind::trace : FileKind::other;
    }
    if (!document.is_object()) return FileKind::other;
    if (document.contains("traceEvents") || document.contains("deviceProperties")) return FileKind::trace;
    if (document.contains("format")) return FileKind::other;
    if (document.contains("model_type") || document.contains("architectures")) return FileKind::model_config;
    if (document.contains("model") && document.contains("cluster")) return FileKind::scenario;
    return FileKind::other;
}

std::optional<Json> readJsonFile(const QString& path, Problems& problems) {
    const std::optional<std::string> text = textOf(path, problems);
    return text ? parseJson(*text, path.toStdString(), problems) : std::nullopt;
}

std::optional<Json> readScenarioFile(const QString& path, Problems& problems) {
    std::optional<Json> json = readJsonFile(path, problems);
    return json && isReadableScenario(*json, path, problems) ? std::move(json) : std::nullopt;
}

bool isReadableScenario(const Json& document, const QString& path, Problems& problems) {
    const FileKind kind = fileKind(document);
    if (kind != FileKind::scenario) {
        problems.push_back(otherKind(path, kind));
        return false;
    }
    const auto format = document.find("format");
    if (format != document.end() && *format != "orrery-scenario/1") {
        problems.push_back(problemWith(
            "unknown-format", path,
            DocumentFile::tr("%1 has the format “%2”, which this version doesn't know.")
                .arg(QFileInfo(path).fileName(), QString::fromStdString(format->get<std::string>())),
            DocumentFile::tr("Open it with a newer Orrery; this one reads “orrery-scenario/1”.")));
        return false;
    }
    return true;
}

std::optional<Json> readModelConfigFile(const QString& path, Problems& problems) {
    std::optional<Json> json = readJsonFile(path, problems);
    if (!json) return std::nullopt;
    if (fileKind(*json) != FileKind::model_config) {
        problems.push_back(problemWith("not-a-model-config", path,
                                       DocumentFile::tr("%1 is not a model's configuration: it has no \"model_type\".")
                                           .arg(QFileInfo(path).fileName()),
                                       DocumentFile::tr("Choose the config.json of a Hugging Face model.")));
        return std::nullopt;
    }
    return json;
}

QByteArray contentHash(const QString& path) {
    Problems ignored;
    const std::optional<std::string> text = textOf(path, ignored);
    return text ? QCryptographicHash::hash(QByteArrayView(text->data(), static_cast<qsizetype>(text->size())), QCryptographicHash::Sha256).toHex() : QByteArray();
}

QByteArray scenarioBytes(const Json& document) {
    return QByteArray::fromStdString(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Problems writeFileWhole(const QString& path, const QByteArray& bytes) {
    std::string error;
    if (writeFileAtomically(path.toStdString(), bytes.toStdString(), error)) return {};
    return {problemWith("cannot-write-file", path, QString::fromStdString(error),
                        DocumentFile::tr("What was in the file before is still there. Save somewhere else, or make room."))};
}

Json withRebasedFiles(const Json& document, const QString& fromFolder, const QString& toFolder) {
    if (fromFolder.isEmpty() || QDir(fromFolder) == QDir(toFolder)) return document;
    Json moved = document;
    for (const char* key : {"/model/config_file", "/model/graph_file", "/execution/profile"}) {
        const Json::json_pointer pointer(key);
        if (!document.contains(pointer) || !document.at(pointer).is_string()) continue;
        const QString path = QString::fromStdString(document.at(pointer).get<std::string>());
        if (QFileInfo(path).isAbsolute()) continue;
        moved[pointer] = QDir(toFolder).relativeFilePath(QDir(fromFolder).absoluteFilePath(path)).toStdString();
    }
    return moved;
}

namespace {

/// Where a file lies that is outside the folder; empty: it is inside, or nowhere.
QString outsidePath(const QString& path, const QString& folder) {
    const QFileInfo file(folder.isEmpty() ? path : QDir(folder).absoluteFilePath(path));
    const QString place = file.canonicalFilePath(), own = folder.isEmpty() ? QString() : QDir(folder).canonicalPath();
    if (place.isEmpty() || (!own.isEmpty() && (own == QLatin1String("/") || place.startsWith(own + QLatin1Char('/'))))) return {};
    return place;
}

} // namespace

QStringList filesOutside(const Json& document, const QString& folder) {
    QStringList files;
    for (const NamedFile& file : namedFiles(document))
        if (const QString place = outsidePath(QString::fromStdString(file.path), folder); !place.isEmpty() && !files.contains(place)) files << place;
    return files;
}

FileReader scenarioFileReader(const QString& folder, const QStringList& allowed) {
    const FileReader read = fileReaderFor(folder.toStdString());
    return [folder, allowed, read](const std::string& path, std::string& error) -> std::optional<std::string> {
        if (folder.isEmpty() && !QFileInfo(QString::fromStdString(path)).isAbsolute()) {
            error = DocumentFile::tr("Save the scenario first: a relative path starts from its folder.").toStdString();
            return std::nullopt;
        }
        if (const QString place = outsidePath(QString::fromStdString(path), folder); !place.isEmpty() && !allowed.contains(place)) {
            error = DocumentFile::tr("it lies outside the scenario's folder, and nobody said that it may be read (open the scenario again to be asked)").toStdString();
            return std::nullopt;
        }
        return read(path, error);
    };
}

} // namespace orrery
