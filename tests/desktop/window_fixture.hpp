// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/window/main_window.hpp"

#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace orrery::test {

/// A real main window with settings and state of its own, and dialogs that answer what the test says.
struct Window {
    explicit Window(const Catalog& shippedCatalog) : Window(shippedCatalog, simulationSteps(shippedCatalog)) {}
    /// Opens with a theme: dressing an open window in another takes as long as making it.
    Window(const Catalog& shippedCatalog, const QString& theme) : Window(shippedCatalog, simulationSteps(shippedCatalog), theme) {}
    Window(const Catalog& shippedCatalog, SimulationSteps simulation, const QString& theme = {});

    MainWindow* operator->() { return window.get(); }
    /// Shows it at a size and waits for the first result of `path` (or of the first example).
    bool start(const QString& path = {}, QSize size = {1600, 1000});
    /// Runs `change` and waits until its result is on screen.
    template <typename Change> bool resultAfter(Change&& change) {
        QSignalSpy shown(window.get(), &MainWindow::resultShown);
        change();
        return shown.wait(20000);
    }
    void trigger(const QString& commandId);
    void reopen(); ///< closes the window and opens another with the same settings and state
    QString path(const QString& name) const { return folder.filePath(name); }

    const Catalog& catalog;
    SimulationSteps steps;
    QTemporaryDir folder;
    std::unique_ptr<QSettings> settings;
    std::unique_ptr<MainWindow> window;
    QString fileAnswer;      ///< what file dialogs give
    QStringList filesAnswer; ///< what a dialog for several gives, where it is not the one
    std::optional<int> wholeNumberAnswer;
    UnsavedChoice unsavedAnswer = UnsavedChoice::discard;
    int unsavedQuestions = 0;
    OverwriteChoice overwriteAnswer = OverwriteChoice::cancel;
    int overwriteQuestions = 0;
    bool readOutsideAnswer = true;
    std::optional<double> numberAnswer;

private:
    void make();
};

} // namespace orrery::test
