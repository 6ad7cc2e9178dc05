// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/recovery.hpp"

#include "app/desktop/document/document_file.hpp"
#include "core/base/json.hpp"

#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QUuid>

#include <algorithm>

namespace orrery {
namespace {

const QString recoveryEnding = QStringLiteral(".recovery.json");

QString text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

QString lockFor(const QString& recoveryFile) { return recoveryFile + QStringLiteral(".lock"); }

} // namespace

RecoveryStore::RecoveryStore(QString folder) : folder_(std::move(folder)) {}

RecoveryStore::~RecoveryStore() = default;

bool RecoveryStore::write(const Json& document, const QString& filePath, const QString& name, const QByteArray& fileHash) {
    if (file_.isEmpty()) {
        if (!QDir().mkpath(folder_)) return false;
        file_ = QDir(folder_).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) + recoveryEnding);
        lock_ = std::make_unique<QLockFile>(lockFor(file_));
        lock_->setStaleLockTime(0); // stale only when its process is gone, however long that took
        if (!lock_->tryLock(0)) {
            file_.clear();
            return false;
        }
    }
    Json copy = Json::object();
    copy["format"] = "orrery-recovery/1";
    copy["file"] = filePath.toStdString();
    copy["name"] = name.toStdString();
    copy["file_hash"] = fileHash.toStdString();
    copy["saved_at"] = QDateTime::currentDateTime().toString(Qt::ISODate).toStdString();
    copy["scenario"] = document;
    return writeFileWhole(file_, scenarioBytes(copy)).empty();
}

void RecoveryStore::remove() {
    if (file_.isEmpty()) return;
    QFile::remove(file_);
    lock_.reset();
    file_.clear();
}

std::vector<RecoveredWork> RecoveryStore::abandoned() const {
    std::vector<RecoveredWork> works;
    const QDir folder(folder_);
    for (const QString& name : folder.entryList({QStringLiteral("*") + recoveryEnding}, QDir::Files)) {
        const QString path = folder.filePath(name);
        if (path == file_) continue;
        QLockFile lock(lockFor(path));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) continue; // its program still runs
        Problems problems;
        std::optional<Json> copy = readJsonFile(path, problems);
        if (!copy || !copy->is_object() || text(*copy, "format") != QStringLiteral("orrery-recovery/1") ||
            !copy->contains("scenario") || !(*copy)["scenario"].is_object()) {
            continue;
        }
        works.push_back({path, text(*copy, "file"), text(*copy, "name"),
                         QDateTime::fromString(text(*copy, "saved_at"), Qt::ISODate), text(*copy, "file_hash").toLatin1(), std::move((*copy)["scenario"])});
    }
    std::sort(works.begin(), works.end(),
              [](const RecoveredWork& a, const RecoveredWork& b) { return a.savedAt > b.savedAt; });
    return works;
}

void RecoveryStore::discard(const RecoveredWork& work) {
    QFile::remove(work.recoveryFile);
    QFile::remove(lockFor(work.recoveryFile));
}

} // namespace orrery
