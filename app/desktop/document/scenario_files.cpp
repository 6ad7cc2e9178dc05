// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/scenario_files.hpp"

#include "app/common/file_io.hpp"
#include "app/desktop/background/background_task.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/document/recent_files.hpp"
#include "core/base/json.hpp"
#include "core/scenario/document/share_text.hpp"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace orrery {
namespace {

const QString scenarioEnding = QStringLiteral(".orrery.json");

struct ReadFile {
    Problems problems;
    std::optional<Json> json;
    QByteArray hash;
};

std::optional<ReadFile> readInBackground(const QString& path) {
    return inBackground<ReadFile>(ScenarioFiles::tr("Reading %1…").arg(QFileInfo(path).fileName()), [path] {
        ReadFile read;
        read.hash = contentHash(path);
        read.json = readJsonFile(path, read.problems);
        return read;
    });
}

/// The scenario that a report carries; nothing for any other file.
std::optional<Json> scenarioOfReport(const QString& path) {
    if (!QStringList{"html", "htm", "md", "pdf"}.contains(QFileInfo(path).suffix().toLower())) return std::nullopt;
    const auto found = inBackground<std::optional<ReportMark>>(ScenarioFiles::tr("Reading %1").arg(QFileInfo(path).fileName()), [file = path.toStdString()]() -> std::optional<ReportMark> {
        std::string ignored; // what is no report is read as any other file, and then it is said why not
        const std::optional<std::string> bytes = readTextFile(file, ignored, {true, std::size_t{64} << 20});
        return bytes ? markIn(*bytes) : std::nullopt;
    });
    return found && *found ? std::optional<Json>(*(*found)->scenario) : std::nullopt;
}

} // namespace

ScenarioFiles::ScenarioFiles(ScenarioDocument& document, RecentFiles& recent, Dialogs& dialogs, QObject* parent)
    : QObject(parent), document_(document), recent_(recent), dialogs_(dialogs) {}

bool ScenarioFiles::startNew() {
    if (!mayLeave()) return false;
    document_.reset(newScenario());
    emit opened();
    return true;
}

bool ScenarioFiles::open() {
    const QStringList paths = dialogs_.openFiles(tr("Open a scenario, or recorded traces together"), folder(),
                                                 tr("Scenarios, studies, model configs, traces (*.json *.gz *.sqlite *.pickle *.pkl *.et);;Launch scripts (*.sh *.slurm *.sbatch *.toml *.yaml *.yml *.txt);;All files (*)"));
    return !paths.isEmpty() && openPaths(paths);
}

bool ScenarioFiles::openPaths(const QStringList& paths) {
    if (paths.size() < 2) return !paths.isEmpty() && openPath(paths.front());
    QStringList traces, others;
    for (const QString& path : paths) (isTraceFile(path) ? traces : others) << path;
    if (others.size() > 1 || traces.isEmpty()) {
        Problem problem;
        problem.code = "files-of-two-kinds";
        problem.file = others.front().toStdString();
        problem.message = tr("%1 and %2 are no recorded traces: several files are opened together as the ranks of one job, with one scenario beside them.").arg(QFileInfo(others[0]).fileName(), QFileInfo(others[1]).fileName()).toStdString();
        problem.mend = tr("Open them one by one.").toStdString();
        return report({problem});
    }
    if (!others.isEmpty() && !openPath(others.front())) return false; // it is said why
    emit tracesFound(traces);
    return !others.isEmpty();
}

bool ScenarioFiles::openText(const QString& text) {
    Problems problems;
    std::optional<Json> document = documentFromShareText(text.toStdString(), problems);
    if (!document || !isReadableScenario(*document, tr("scenario text"), problems)) return report(problems);
    if (!mayLeave()) return false;
    document_.reset(std::move(*document));
    emit opened();
    return true;
}

bool ScenarioFiles::openPath(const QString& path) {
    if (isShareText(path.toStdString()) && !QFileInfo::exists(path)) return openText(path);
    if (isLaunchFile(path) && QFileInfo(path).isFile()) {
        emit launchFound(path);
        return false; // nothing is open yet: the user sees first what was understood
    }
    if (isTraceFile(path)) {
        recent_.add(path);
        emit tracesFound({path});
        return false; // the scenario stays as it is
    }
    if (const std::optional<Json> scenario = scenarioOfReport(path)) {
        if (!mayLeave()) return false;
        document_.startUnsaved(*scenario, QFileInfo(path).absolutePath());
        recent_.add(path);
        emit opened();
        return true;
    }
    std::optional<ReadFile> read = readInBackground(path);
    if (!read) return false; // given up
    if (!read->json) return report(read->problems);
    switch (fileKind(*read->json)) {
    case FileKind::model_config: document_.embedModelConfig(path, *read->json); return true;
    case FileKind::study:
        emit studyFound(*read->json, QFileInfo(path).absolutePath());
        recent_.add(path);
        return false; // the scenario stays as it is
    case FileKind::other:
        if (isDeepSpeedConfig(*read->json)) {
            emit launchFound(path);
            return false;
        }
        break;
    default: break;
    }
    if (!isReadableScenario(*read->json, path, read->problems)) return report(read->problems);
    if (!mayLeave()) return false;
    document_.load(path, std::move(*read->json), read->hash);
    recent_.add(path);
    emit opened();
    return true;
}

bool ScenarioFiles::openExample(const Example& example) {
    if (!mayLeave()) return false;
    document_.reset(example.document);
    emit opened();
    return true;
}

bool ScenarioFiles::openModelConfig() {
    const QString path =
        dialogs_.openFile(tr("Model from a config.json"), folder(), tr("Hugging Face configs (*.json);;All files (*)"));
    return !path.isEmpty() && report(document_.embedModelConfig(path));
}

bool ScenarioFiles::openLaunch() {
    const QString path = dialogs_.openFile(tr("Import a launch script or a configuration"), folder(),
                                           tr("Launch scripts and configurations (*.sh *.bash *.slurm *.sbatch *.toml *.yaml *.yml *.json *.txt);;All files (*)"));
    if (path.isEmpty()) return false;
    emit launchFound(path);
    return true;
}

bool ScenarioFiles::save() { return document_.filePath().isEmpty() ? saveAs() : saveTo(document_.filePath()); }

bool ScenarioFiles::saveAs() {
    const QString suggestion = document_.filePath().isEmpty()
                                   ? QDir(folder()).filePath(fileNameFrom(document_.displayName()) + scenarioEnding)
                                   : document_.filePath();
    QString path = dialogs_.saveFile(tr("Save the scenario"), suggestion, tr("Scenarios (*%1)").arg(scenarioEnding));
    if (path.isEmpty()) return false;
    if (QFileInfo(path).suffix().isEmpty()) path += scenarioEnding;
    return saveTo(path);
}

bool ScenarioFiles::mayLeave() {
    if (!document_.isModified()) return true;
    switch (dialogs_.unsaved(document_.displayName())) {
    case UnsavedChoice::save: return save();
    case UnsavedChoice::discard: return true;
    case UnsavedChoice::cancel: break;
    }
    return false;
}

bool ScenarioFiles::report(const Problems& problems) {
    if (!hasErrors(problems)) return true;
    emit failed(problems);
    return false;
}

bool ScenarioFiles::saveTo(const QString& path) {
    if (QFileInfo(path).absoluteFilePath() == document_.filePath() && document_.isFileChanged()) {
        switch (dialogs_.changedOnDisk(path)) {
        case OverwriteChoice::overwrite: break;
        case OverwriteChoice::save_elsewhere: return saveAs();
        case OverwriteChoice::cancel: return false;
        }
    }
    if (!report(document_.save(path))) return false;
    recent_.add(path);
    emit opened();
    return true;
}

QString ScenarioFiles::folder() const {
    if (!document_.baseFolder().isEmpty()) return document_.baseFolder();
    if (!recent_.paths().isEmpty()) return QFileInfo(recent_.paths().front()).absolutePath();
    return QDir::homePath();
}

} // namespace orrery
