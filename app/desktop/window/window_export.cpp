// SPDX-License-Identifier: GPL-3.0-or-later
// Charts and data leaving the window.

#include "app/common/made_by.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/export/export_dialog.hpp"
#include "app/desktop/export/scenario_charts.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/report/result_report.hpp"
#include "app/desktop/window/main_window.hpp"
#include "widgets/common/exportable.hpp"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace orrery {

QString MainWindow::exportStem() const {
    QString stem = document_.displayName();
    for (const char* known : {".orrery.json", ".json"}) {
        if (stem.endsWith(QLatin1String(known))) stem.chop(static_cast<qsizetype>(qstrlen(known)));
    }
    // A name that nobody gave a file is made one: without blanks and signs that a shell or another system stumbles over.
    return document_.filePath().isEmpty() ? fileNameFrom(stem) : stem;
}

QString MainWindow::exportFolder() const {
    return settings_.value("export_folder", document_.baseFolder().isEmpty() ? QDir::homePath() : document_.baseFolder()).toString();
}

QString MainWindow::exportPath(const QString& name, const QString& ending, const QString& filter) {
    // What has an ending of its own says by it what it is.
    const QString proposed = ending.startsWith(QLatin1String("orrery-")) ? exportStem() + u'.' + ending : QStringLiteral("%1-%2.%3").arg(exportStem(), name, ending);
    QString path = dialogs_.saveFile(tr("Export %1").arg(name), QDir(exportFolder()).filePath(proposed), filter);
    if (path.isEmpty()) return {};
    if (QFileInfo(path).suffix().isEmpty()) path += u'.' + ending;
    settings_.setValue("export_folder", QFileInfo(path).absolutePath());
    return path;
}

void MainWindow::showExport(const QString& chartId) {
    views_->turns().finish(); // charts show the result that the headline tells of
    std::vector<ExportDialog::Chart> charts;
    for (const WindowViews::Chart& chart : views_->charts()) charts.push_back({chart.id, plainText(chart.title), chart.exportable});
    showExportOf(std::move(charts), chartId, this);
}

void MainWindow::showExportOf(std::vector<ExportDialog::Chart> charts, const QString& chartId, QWidget* above) {
    auto* dialog = new ExportDialog(std::move(charts), settings_, dialogs_, exportStem(), exportFolder(), above);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!chartId.isEmpty()) dialog->choose(chartId);
    dialog->open();
}

void MainWindow::exportChartAs(const Exportable& chart, const QString& ending) {
    views_->turns().finish();
    const QString path = exportPath(chart.exportName(), ending, tr("%1 files (*.%2)").arg(ending.toUpper(), ending));
    if (path.isEmpty()) return;
    const QString error = exportChart(chart, path, storedExportFormat(settings_));
    if (!error.isEmpty()) {
        banner_->showMessage(Banner::Tone::error, tr("The chart was not exported: %1").arg(error), tr("Choose another place."), {}, true);
    } else {
        banner_->showMessage(Banner::Tone::note, tr("Exported to %1").arg(QDir::toNativeSeparators(path)), {}, {}, true);
    }
}

void MainWindow::exportChromeTrace() {
    if (!result_) return;
    const QString path = exportPath(QStringLiteral("trace"), QStringLiteral("json"), tr("Chrome traces (*.json)"));
    if (path.isEmpty()) return;
    const Problems problems = writeFileWhole(path, QByteArray::fromStdString(chromeTraceText(result_->timeline)));
    if (problems.empty()) {
        banner_->showMessage(Banner::Tone::note, tr("Exported to %1").arg(QDir::toNativeSeparators(path)), tr("Open it at ui.perfetto.dev."), {}, true);
    } else {
        showFileProblems(problems);
    }
}

void MainWindow::exportReport() {
    if (!result_) return;
    const QString path = exportPath(QStringLiteral("report"), QStringLiteral("orrery-report.pdf"), tr("Reports (*.pdf *.html *.md)"));
    if (path.isEmpty()) return;
    const Theme paper(ThemeVariant::light);
    const Report report = reportOf(*result_, document_.shown(), reportCharts({catalog_, paper, document_.shown(), result_}));
    const QString error = writeReport(report, path);
    if (error.isEmpty()) banner_->showMessage(Banner::Tone::note, tr("Exported to %1").arg(QDir::toNativeSeparators(path)), {}, {}, true);
    else banner_->showMessage(Banner::Tone::error, tr("The report was not exported: %1").arg(error), tr("Choose another place."), {}, true);
}

} // namespace orrery
