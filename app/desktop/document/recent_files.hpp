// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

class QSettings;

namespace orrery {

/// The scenarios opened or saved last, newest first, kept in the settings.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    static constexpr int capacity = 8;

    explicit RecentFiles(QSettings& settings, QObject* parent = nullptr);

    QStringList paths() const { return paths_; }
    void add(const QString& path);
    void remove(const QString& path);
    void clear();

    /// How a path stands in the menu: its name, with its folder where two have the same name.
    QString label(int index) const;

private:
    void store();

    QSettings& settings_;
    QStringList paths_;
};

} // namespace orrery
