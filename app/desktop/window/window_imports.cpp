// SPDX-License-Identifier: GPL-3.0-or-later
// What the window opens beside scenarios: launch scripts, in a dialog, and studies, in windows of their own.

#include "app/desktop/background/background_task.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/import/import_dialog.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/pages/study_window.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/base/json.hpp"
#include "widgets/study/study_chart.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>

namespace orrery {
namespace {

constexpr const char* studyKey = "study_key"; ///< what tells one study's window from another's

} // namespace

void MainWindow::showImport(const QString& text, const QString& fileName, const QString& folder) {
    auto* dialog = new ImportDialog(catalog_, theme_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    // Another scenario altogether: what is open is asked for and left, and its file stays what it is.
    connect(dialog, &ImportDialog::importRequested, this, [this, folder](const Json& scenario) {
        if (!files_.mayLeave()) return;
        document_.startUnsaved(scenario, folder);
        banner_->dismiss();
    });
    dialog->setSource(text, fileName, folder);
    dialog->open();
}

void MainWindow::importFile(const QString& path) {
    struct Read {
        Problems problems;
        std::optional<std::string> text;
    };
    const QFileInfo info(path);
    const auto read = inBackground<Read>(tr("Reading %1…").arg(info.fileName()), [path] {
        Read found;
        found.text = readLaunchFile(path, found.problems);
        return found;
    });
    if (!read) return; // given up
    if (!read->text) return showFileProblems(read->problems);
    showImport(QString::fromStdString(*read->text), info.fileName(), info.absolutePath());
}

void MainWindow::pasteLaunchCommand() {
    // What was copied is most likely what the user came for; anything else is as easily replaced.
    showImport(QApplication::clipboard()->text(), {}, {});
}

void MainWindow::showStudy(const Json& document, const QString& folder) {
    Problems problems;
    const std::optional<Study> study = readStudy(document, problems);
    if (!study) return showFileProblems(problems);
    // One window for a study: opened again, it comes to the front with all that it has computed.
    const QString key = folder + QLatin1Char('\n') + QString::fromStdString(document.dump());
    for (auto* open : findChildren<StudyWindow*>(QString(), Qt::FindDirectChildrenOnly))
        if (open->property(studyKey).toString() == key && !open->isHidden()) return open->bringToFront();
    auto* window = new StudyWindow(catalog_, theme_, dialogs_, this);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->setProperty(studyKey, key);
    connect(window, &StudyWindow::openRequested, this, [this, folder](const Json& scenario) {
        if (!files_.mayLeave()) return;
        document_.reset(scenario, folder);
        banner_->dismiss();
        raise();
        activateWindow();
    });
    connect(window, &StudyWindow::exportAsked, this, [this, window] { showExportOf({{QStringLiteral("study"), tr("Study"), window->chart()}}, {}, window); });
    window->show(*study, scenarioFileReader(folder), folder);
}

} // namespace orrery
