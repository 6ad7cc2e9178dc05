// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/desktop/window_fixture.hpp"

namespace orrery::test {

Window::Window(const Catalog& shippedCatalog, SimulationSteps simulation, const QString& theme)
    : catalog(shippedCatalog), steps(std::move(simulation)),
      settings(std::make_unique<QSettings>(folder.filePath("settings.ini"), QSettings::IniFormat)) {
    if (!theme.isEmpty()) settings->setValue("theme", theme);
    make();
}

void Window::make() {
    window = std::make_unique<MainWindow>(WindowParts{catalog, *settings, folder.filePath("state"), steps, false});
    Dialogs& dialogs = window->dialogs();
    dialogs.openFile = [this](const QString&, const QString&, const QString&) { return fileAnswer; };
    dialogs.openFiles = [this](const QString&, const QString&, const QString&) { return filesAnswer.isEmpty() && !fileAnswer.isEmpty() ? QStringList{fileAnswer} : filesAnswer; };
    dialogs.saveFile = dialogs.openFile;
    dialogs.folder = [this](const QString&, const QString&) { return fileAnswer; };
    dialogs.unsaved = [this](const QString&) {
        ++unsavedQuestions;
        return unsavedAnswer;
    };
    dialogs.readOutside = [this](const QStringList&) { return readOutsideAnswer; };
    dialogs.changedOnDisk = [this](const QString&) {
        ++overwriteQuestions;
        return overwriteAnswer;
    };
    dialogs.number = [this](const QString&, const QString&, double, double, double) { return numberAnswer; };
    dialogs.wholeNumber = [this](const QString&, const QString&, int, int, int) { return wholeNumberAnswer; };
}

bool Window::start(const QString& path, QSize size) {
    window->resize(size);
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get())) return false;
    return resultAfter([&] { window->start(path); });
}

void Window::trigger(const QString& commandId) {
    QAction* action = window->commands().action(commandId);
    if (!action) qFatal("no command %s", qPrintable(commandId));
    window->commands().refresh();
    action->trigger();
}

void Window::reopen() {
    window->close();
    window.reset();
    make();
}

} // namespace orrery::test
