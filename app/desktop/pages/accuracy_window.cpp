// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/pages/accuracy_window.hpp"

#include "app/desktop/document/document_file.hpp"
#include "core/answers/evidence/accuracy_report.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/accuracy/accuracy_page.hpp"
#include "widgets/accuracy/error_histogram.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QVBoxLayout>

namespace orrery {

AccuracyWindow::AccuracyWindow(const Catalog& catalog, const Theme& theme, const Dialogs& dialogs, QWidget* parent)
    : QWidget(parent, Qt::Window), catalog_(catalog), dialogs_(dialogs), page_(new AccuracyPage(theme, catalog)), status_(new QLabel) {
    setObjectName("accuracy_window");
    setWindowTitle(tr("Accuracy — Orrery"));
    setRole(*this, "panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* exportButton = new QPushButton(tr("Export…"));
    auto* menu = new QMenu(exportButton);
    const struct {
        Export what;
        const char* ending;
        QString text;
    } kinds[] = {{Export::report, "html", tr("Report as &HTML…")},
                 {Export::groups, "csv", tr("&Errors as CSV…")},
                 {Export::runs, "csv", tr("&Runs shown as CSV…")},
                 {Export::chart, "svg", tr("Chart as &SVG…")},
                 {Export::chart, "pdf", tr("Chart as P&DF…")},
                 {Export::chart, "png", tr("Chart as &PNG…")}};
    for (const auto& kind : kinds) menu->addAction(kind.text, this, [this, what = kind.what, ending = QString::fromLatin1(kind.ending)] { exportAs(what, ending); });
    exportButton->setMenu(menu);
    exportButton->setStyleSheet(QStringLiteral("QPushButton::menu-indicator { image: none; width: 0; }"));
    page_->headerTools()->addWidget(exportButton);

    setRole(*status_, "secondary");
    status_->setContentsMargins(12, 4, 12, 4);
    status_->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(page_, 1);
    column->addWidget(status_);
    connect(page_, &AccuracyPage::openRequested, this, &AccuracyWindow::openRequested);
    connect(&theme, &Theme::changed, this, [this, &theme] { status_->setFont(theme.secondaryFont()); });
    status_->setFont(theme.secondaryFont());
    new QShortcut(QKeySequence::Close, this, [this] { close(); });
    resize(QSize(1180, 800).boundedTo(screen()->availableSize()));
    setMinimumSize(820, 560);
}

void AccuracyWindow::setEvidence(std::shared_ptr<const Evidence> evidence) {
    evidence_ = std::move(evidence);
    page_->setEvidence(evidence_);
}

void AccuracyWindow::setResult(const ResultPtr& result) { page_->setResult(result); }

QString AccuracyWindow::statusText() const { return status_->text(); }

QByteArray AccuracyWindow::textOf(Export what) const {
    if (what == Export::report) return QByteArray::fromStdString(accuracyReport(*evidence_, catalog_, ErrorBars(evidence_, catalog_)));
    return what == Export::groups ? page_->groupsCsv() : page_->casesCsv();
}

void AccuracyWindow::exportAs(Export what, const QString& ending) {
    const QString name = what == Export::runs ? QStringLiteral("accuracy-runs.") : QStringLiteral("accuracy.");
    QString path = dialogs_.saveFile(tr("Export the accuracy page"), QDir::home().filePath(name + ending), tr("%1 files (*.%2)").arg(ending.toUpper(), ending));
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += u'.' + ending;
    QString error;
    if (what == Export::chart) {
        error = exportChart(*page_->histogram(), path, {.size = {900, 500}, .colours = ThemeVariant::light});
    } else if (const Problems problems = writeFileWhole(path, textOf(what)); !problems.empty()) {
        error = QString::fromStdString(problems.front().message);
    }
    status_->setText(error.isEmpty() ? tr("Exported to %1").arg(QDir::toNativeSeparators(path)) : tr("Nothing was exported: %1").arg(error));
    status_->show();
}

} // namespace orrery
