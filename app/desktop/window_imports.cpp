// What the window opens beside scenarios: launch scripts, in a dialog, and studies, in windows of their own.

#include "app/desktop/banner.hpp"
#include "app/desktop/document_file.hpp"
#include "app/desktop/import_dialog.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/study_window.hpp"
#include "core/base/json.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>

namespace orrery {

void MainWindow::showImport(const QString& text, const QString& fileName, const QString& folder) {
    auto* dialog = new ImportDialog(catalog_, theme_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ImportDialog::importRequested, this, [this](const Json& scenario, const QString& source) {
        if (!document_.edit(tr("Import from %1").arg(source), {{"", scenario}})) return;
        selection_.clear();
        banner_->dismiss();
    });
    dialog->setSource(text, fileName, folder);
    dialog->open();
}

void MainWindow::importFile(const QString& path) {
    Problems problems;
    const std::optional<std::string> text = readTextDocument(path, problems);
    if (!text) return showFileProblems(problems);
    const QFileInfo info(path);
    showImport(QString::fromStdString(*text), info.fileName(), info.absolutePath());
}

void MainWindow::pasteLaunchCommand() {
    // What was copied is most likely what the user came for; anything else is as easily replaced.
    showImport(QApplication::clipboard()->text(), {}, {});
}

void MainWindow::showStudy(const Json& document, const QString& folder) {
    Problems problems;
    const std::optional<Study> study = readStudy(document, problems);
    if (!study) return showFileProblems(problems);
    auto* window = new StudyWindow(catalog_, theme_, dialogs_, this);
    window->setAttribute(Qt::WA_DeleteOnClose);
    connect(window, &StudyWindow::openRequested, this, [this, folder](const Json& scenario) {
        if (!files_.mayLeave()) return;
        document_.reset(scenario, folder);
        banner_->dismiss();
        raise();
        activateWindow();
    });
    window->show(*study, scenarioFileReader(folder), folder);
}

} // namespace orrery
