// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>

class QWidget;

namespace orrery {

enum class UnsavedChoice { save,
                           discard,
                           cancel };
enum class OverwriteChoice { overwrite,
                             save_elsewhere,
                             cancel };

/// Every question that stops the user. A window asks through these, so that tests can answer.
struct Dialogs {
    std::function<QString(const QString& title, const QString& folder, const QString& filter)> openFile;      ///< empty: cancelled
    std::function<QStringList(const QString& title, const QString& folder, const QString& filter)> openFiles; ///< empty: cancelled
    std::function<QString(const QString& title, const QString& suggestion, const QString& filter)> saveFile;  ///< empty: cancelled
    std::function<QString(const QString& title, const QString& start)> folder;                                ///< empty: cancelled
    std::function<UnsavedChoice(const QString& name)> unsaved;
    std::function<bool(const QStringList& paths)> readOutside;                                                                        ///< a scenario names files outside its folder
    std::function<OverwriteChoice(const QString& path)> changedOnDisk;                                                                ///< the file to save to is not as this window knows it
    std::function<std::optional<double>(const QString& title, const QString& label, double value, double least, double most)> number; ///< nothing: cancelled
    std::function<std::optional<int>(const QString& title, const QString& label, int value, int least, int most)> wholeNumber;        ///< nothing: cancelled
};

/// The real ones, above `window`.
Dialogs systemDialogs(QWidget* window);

} // namespace orrery
