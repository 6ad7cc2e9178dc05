#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace orrery {

enum class UnsavedChoice { save, discard, cancel };

/// Every question that stops the user. A window asks through these, so that tests can answer.
struct Dialogs {
    std::function<QString(const QString& title, const QString& folder, const QString& filter)> openFile;       ///< empty: cancelled
    std::function<QString(const QString& title, const QString& suggestion, const QString& filter)> saveFile;   ///< empty: cancelled
    std::function<QString(const QString& title, const QString& start)> folder;                                 ///< empty: cancelled
    std::function<UnsavedChoice(const QString& name)> unsaved;
};

/// The real ones, above `window`.
Dialogs systemDialogs(QWidget* window);

} // namespace orrery
