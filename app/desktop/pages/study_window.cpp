// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/pages/study_window.hpp"

#include "core/catalog/catalog.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/insight/table_page.hpp"
#include "widgets/study/study_chart.hpp"
#include "widgets/study/study_model.hpp"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScreen>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {

StudyWindow::StudyWindow(const Catalog& catalog, const Theme& theme, const Dialogs& dialogs, QWidget* parent)
    : QWidget(parent, Qt::Window), theme_(theme), dialogs_(dialogs), worker_(catalog) {
    build();
    connect(&worker_, &StudyWorker::advanced, this, &StudyWindow::takeResult);
    connect(&worker_, &StudyWorker::finished, this, [this](const StudyResultPtr&, double seconds) {
        showStatus(seconds);
        emit finished();
    });
    connect(&theme_, &Theme::changed, this, &StudyWindow::applyTheme);
    applyTheme();
    resize(QSize(1000, 720).boundedTo(screen()->availableSize()));
    setMinimumSize(720, 540);
}

StudyWindow::~StudyWindow() { worker_.disconnect(this); }

void StudyWindow::build() {
    setObjectName("study_window");
    setRole(*this, "panel");
    setAttribute(Qt::WA_StyledBackground);
    title_ = new QLabel;
    notes_ = new QLabel;
    notes_->setWordWrap(true);
    setRole(*notes_, "secondary");
    status_ = new QLabel;
    status_->setObjectName("study_status");
    setRole(*status_, "secondary");
    plotBox_ = new QComboBox;
    plotBox_->setAccessibleName(tr("What the bars show"));
    plotBox_->setToolTip(tr("What the bars show"));
    plotBox_->setMinimumHeight(26);
    plotBox_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    shares_ = new QToolButton;
    shares_->setText(tr("Percent"));
    shares_->setCheckable(true);
    open_ = new QPushButton(tr("Open the scenario"));
    open_->setToolTip(tr("Opens the chosen bar's scenario in the main window"));
    open_->setEnabled(false);
    auto* exportButton = new QPushButton(tr("Export…"));
    auto* menu = new QMenu(exportButton);
    const struct {
        const char* ending;
        QString text;
    } endings[] = {{"svg", tr("&SVG…")}, {"pdf", tr("P&DF…")}, {"png", tr("&PNG…")}, {"csv", tr("Data as &CSV…")}};
    for (const auto& one : endings) menu->addAction(one.text, this, [this, ending = QString::fromLatin1(one.ending)] { exportAs(ending); });
    menu->addSeparator();
    menu->addAction(tr("Size, &letters, colours…"), this, &StudyWindow::exportAsked);
    exportButton->setMenu(menu);
    exportButton->setStyleSheet(QStringLiteral("QPushButton::menu-indicator { image: none; width: 0; }"));

    chart_ = new StudyChart(theme_);
    model_ = new StudyModel(theme_, this);
    sorted_ = new SortedRows(this);
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(StudyModel::sortRole);
    table_ = new QTableView;
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->horizontalHeader()->setSortIndicatorShown(false);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->setItemDelegate(new RowDelegate(-1, table_));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->verticalHeader()->hide();
    table_->setTabKeyNavigation(false);
    table_->setAccessibleName(tr("The study's numbers"));

    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 10, 12, 8);
    head->setSpacing(4);
    head->addWidget(title_);
    head->addWidget(notes_);
    auto* tools = new QHBoxLayout;
    tools->setSpacing(6);
    tools->addWidget(plotBox_);
    tools->addWidget(shares_);
    tools->addStretch(1);
    tools->addWidget(open_);
    tools->addWidget(exportButton);
    head->addLayout(tools);
    head->addWidget(status_);
    auto* split = new QSplitter(Qt::Vertical);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(chart_);
    split->addWidget(table_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(new Hairline);
    column->addWidget(split, 1);

    connect(plotBox_, &QComboBox::activated, this, &StudyWindow::choosePlot);
    connect(shares_, &QToolButton::toggled, chart_, &StudyChart::setShares);
    connect(open_, &QPushButton::clicked, this, [this] { openPoint(chart_->chosen()); });
    connect(chart_, &StudyChart::openRequested, this, &StudyWindow::openPoint);
    connect(chart_, &StudyChart::chosenChanged, this, [this](int point) {
        open_->setEnabled(point >= 0 && opensPoints());
        if (following_) return;
        const QScopedValueRollback<bool> guard(following_, true);
        if (point < 0) table_->clearSelection();
        else table_->selectRow(sorted_->mapFromSource(model_->index(point, 0)).row());
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &StudyWindow::followRow);
    connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) { openPoint(sorted_->mapToSource(index).row()); });
    new QShortcut(QKeySequence::Close, this, [this] { close(); });
}

void StudyWindow::applyTheme() {
    title_->setFont(theme_.font(15, QFont::DemiBold));
    notes_->setFont(theme_.secondaryFont());
    status_->setFont(theme_.secondaryFont());
    table_->setStyleSheet(RowDelegate::rowStyle(theme_));
    table_->setFont(theme_.secondaryFont());
    table_->horizontalHeader()->setFont(theme_.secondaryFont());
    table_->verticalHeader()->setDefaultSectionSize(QFontMetrics(theme_.secondaryFont()).height() + 2 * RowDelegate::linePadding);
}

void StudyWindow::show(const Study& study, FileReader readFile, const QString& folder) {
    folder_ = folder;
    const QString name = QString::fromStdString(study.name);
    setWindowTitle(tr("%1 — Orrery").arg(name.isEmpty() ? tr("Study") : name));
    title_->setText(name.isEmpty() ? tr("Study") : name);
    notes_->setText(QString::fromStdString(study.notes));
    notes_->setVisible(!study.notes.empty());
    plotBox_->clear();
    for (const StudyPlot& plot : study.plots) plotBox_->addItem(QString::fromStdString(plot.name));
    shares_->setChecked(false);
    chart_->setResult(nullptr);
    worker_.run(study, std::move(readFile));
    choosePlot(0);
    show();
    bringToFront();
    chart_->setFocus();
}

void StudyWindow::bringToFront() {
    if (isMinimized()) showNormal();
    const auto forward = [this] {
        raise();
        activateWindow();
    };
    forward();
    // The menu that was clicked gives its window the focus back when it is gone, and a program that starts shows its own last.
    QTimer::singleShot(0, this, forward);
}

void StudyWindow::takeResult(const StudyResultPtr& result) {
    const bool first = result->outcomes.empty();
    result_ = result;
    chart_->setResult(result);
    model_->setResult(result);
    if (first) choosePlot(plotBox_->currentIndex());
    showStatus(-1);
    fitColumns();
}

void StudyWindow::showStatus(double seconds) {
    QString text = tr("%1 of %2 scenarios simulated").arg(result_->outcomes.size()).arg(result_->points.size());
    if (seconds >= 0) text = tr("%n scenario(s) simulated in %1", nullptr, static_cast<int>(result_->points.size())).arg(readableTime(seconds).text());
    const auto failed = std::count_if(result_->outcomes.begin(), result_->outcomes.end(), [](const StudyOutcome& one) { return hasErrors(one.problems); });
    if (failed > 0) text += tr(" · %1 can't run").arg(failed);
    if (const std::optional<double> difference = largestDifference(*result_); difference && seconds >= 0)
        text += *difference <= 1e-9 ? tr(" · all equal their closed forms") : tr(" · up to %1 off the closed forms").arg(readablePercent(*difference).text());
    if (const QString chain = chainText(*result_, static_cast<std::size_t>(std::max(0, plotBox_->currentIndex()))); !chain.isEmpty() && seconds >= 0)
        text += QStringLiteral(" · ") + chain;
    status_->setText(text);
}

QString StudyWindow::statusText() const { return status_->text(); }

void StudyWindow::choosePlot(int plot) {
    chart_->setPlot(plot);
    if (!result_ || plot < 0) return;
    const std::string& baseline = result_->study.plots[static_cast<std::size_t>(plot)].baseline;
    shares_->setEnabled(!baseline.empty());
    shares_->setToolTip(baseline.empty() ? tr("This plot names no baseline") : tr("In percent of “%1”").arg(QString::fromStdString(baseline)));
    if (baseline.empty()) shares_->setChecked(false);
}

bool StudyWindow::opensPoints() const { return result_ && result_->study.subject == StudySubject::simulation; }

void StudyWindow::followRow() {
    if (following_) return;
    const QScopedValueRollback<bool> guard(following_, true);
    const QModelIndex current = sorted_->mapToSource(table_->currentIndex());
    if (current.isValid()) chart_->choose(current.row());
}

void StudyWindow::openPoint(int point) {
    if (opensPoints() && point >= 0 && static_cast<std::size_t>(point) < result_->points.size()) emit openRequested(result_->points[static_cast<std::size_t>(point)].document);
}

void StudyWindow::exportAs(const QString& ending) {
    QString path = dialogs_.saveFile(tr("Export the study"), QDir(folder_.isEmpty() ? QDir::homePath() : folder_).filePath("study." + ending),
                                     tr("%1 files (*.%2)").arg(ending.toUpper(), ending));
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += u'.' + ending;
    const QString error = exportChart(*chart_, path, {.colours = ThemeVariant::light});
    status_->setText(error.isEmpty() ? tr("Exported to %1").arg(QDir::toNativeSeparators(path)) : tr("The study was not exported: %1").arg(error));
}

void StudyWindow::fitColumns() {
    const QFontMetrics metrics(theme_.secondaryFont());
    for (int column = 0; column < model_->columnCount(); ++column) {
        const int width = std::max(metrics.horizontalAdvance(model_->headerData(column, Qt::Horizontal).toString() + QStringLiteral(" ↓")) + 18, longestCellWidth(*table_, column, 200));
        table_->setColumnWidth(column, width + 8);
    }
}

} // namespace orrery
