// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <QDateTime>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

class QLockFile;

namespace orrery {

/// Unsaved work that a crashed program left behind.
struct RecoveredWork {
    QString recoveryFile; ///< where it lies
    QString filePath;     ///< the scenario file it belongs to; empty: it was never saved
    QString name;
    QDateTime savedAt;
    QByteArray fileHash; ///< of that file as the work began with it; empty: not known
    BoxedJson document;
};

/// Keeps a copy of a window's unsaved work in the state folder, and finds what earlier windows left there. A lock beside
/// each copy tells a crashed program's from one that is still running.
class RecoveryStore {
public:
    explicit RecoveryStore(QString folder);
    ~RecoveryStore(); ///< leaves the copy where it is; only `remove` takes it away

    RecoveryStore(const RecoveryStore&) = delete;
    RecoveryStore& operator=(const RecoveryStore&) = delete;

    bool write(const Json& document, const QString& filePath, const QString& name, const QByteArray& fileHash = {});
    void remove(); ///< the work is saved, or no longer wanted

    /// What crashed programs left, newest first. Copies that can't be read are skipped.
    std::vector<RecoveredWork> abandoned() const;
    static void discard(const RecoveredWork& work);

private:
    QString folder_;
    QString file_;
    std::unique_ptr<QLockFile> lock_;
};

} // namespace orrery
