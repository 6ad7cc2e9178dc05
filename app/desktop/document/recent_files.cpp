// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/recent_files.hpp"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>

namespace orrery {
namespace {

const QString recentFilesKey = QStringLiteral("recent_files");

} // namespace

RecentFiles::RecentFiles(QSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings), paths_(settings.value(recentFilesKey).toStringList().mid(0, capacity)) {}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    paths_.removeAll(absolute);
    paths_.prepend(absolute);
    paths_ = paths_.mid(0, capacity);
    store();
}

void RecentFiles::remove(const QString& path) {
    paths_.removeAll(path);
    store();
}

void RecentFiles::clear() {
    paths_.clear();
    store();
}

QString RecentFiles::label(int index) const {
    if (index < 0 || index >= paths_.size()) return {};
    const QFileInfo info(paths_[index]);
    const auto sameName = std::count_if(paths_.begin(), paths_.end(), [&info](const QString& other) {
        return QFileInfo(other).fileName() == info.fileName();
    });
    return sameName > 1 ? QStringLiteral("%1 — %2").arg(info.fileName(), QDir::toNativeSeparators(info.path())) : info.fileName();
}

void RecentFiles::store() { settings_.setValue(recentFilesKey, paths_); }

} // namespace orrery
