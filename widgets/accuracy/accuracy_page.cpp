// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accuracy/accuracy_page.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/accuracy/accuracy_words.hpp"
#include "widgets/accuracy/error_bar_summary.hpp"
#include "widgets/accuracy/error_histogram.hpp"
#include "widgets/accuracy/error_models.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/insight/table_page.hpp"

#include <QAbstractProxyModel>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <set>

namespace orrery {

/// Shows the runs of one group alone.
class SortedErrors : public SortedRows {
public:
    using SortedRows::SortedRows;

    void setGroup(ErrorGrouping grouping, std::optional<std::string> key) {
        grouping_ = grouping;
        key_ = std::move(key);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        if (key_)
            if (const auto* cases = qobject_cast<const ErrorCasesModel*>(sourceModel()); cases != nullptr && keyOf(cases->run(row), grouping_) != *key_) return false;
        return QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

    /// All runs together stay on top, whatever the groups are sorted by.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
        if (const auto* groups = qobject_cast<const ErrorGroupsModel*>(sourceModel())) {
            const bool ascending = sortOrder() == Qt::AscendingOrder;
            if (groups->isTotal(left.row())) return ascending;
            if (groups->isTotal(right.row())) return !ascending;
        }
        return QSortFilterProxyModel::lessThan(left, right);
    }

private:
    ErrorGrouping grouping_ = ErrorGrouping::accelerator;
    std::optional<std::string> key_;
};

AccuracyPage::AccuracyPage(const Theme& theme, const Catalog& catalog, QWidget* parent)
    : QWidget(parent), theme_(theme), catalog_(catalog), title_(new QLabel(tr("Accuracy"))), subtitle_(new QLabel), groupingBox_(new QComboBox),
      whatBox_(new QComboBox), open_(new QPushButton(tr("Open as scenario"))), summary_(new ErrorBarSummary(theme)),
      groupsModel_(new ErrorGroupsModel(theme, this)), casesModel_(new ErrorCasesModel(theme, this)), sortedGroups_(new SortedErrors(this)),
      sortedCases_(new SortedErrors(this)), groups_(new QTableView), cases_(new QTableView), casesStack_(new QStackedWidget),
      histogram_(new ErrorHistogram(theme)), scope_(new QLabel), filter_(new QLineEdit) {
    auto* head = new QWidget;
    buildHead(*head);
    buildTables();

    auto* runs = new QWidget;
    QHBoxLayout* runTools = layOutTablePage(*runs, *scope_, *filter_, *casesStack_);
    runTools->addWidget(open_);
    runTools->addSpacing(6);
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(groups_);
    upper->addWidget(histogram_);
    upper->setStretchFactor(0, 2);
    upper->setStretchFactor(1, 1);
    upper->setSizes({800, 400}); // shares: the table's columns need more than the chart
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(runs);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    for (QSplitter* one : {upper, split}) {
        one->setHandleWidth(1);
        one->setChildrenCollapsible(false);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(new Hairline);
    column->addWidget(split, 1);

    connect(groupingBox_, &QComboBox::currentIndexChanged, this, &AccuracyPage::regroup);
    connect(whatBox_, &QComboBox::currentIndexChanged, this, &AccuracyPage::regroup);
    connect(groups_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &AccuracyPage::narrow);
    connect(cases_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { open_->setEnabled(cases_->currentIndex().isValid()); });
    connect(cases_, &QTableView::doubleClicked, this, &AccuracyPage::openCurrent);
    connect(open_, &QPushButton::clicked, this, &AccuracyPage::openCurrent);
    connect(summary_, &ErrorBarSummary::runChosen, this, &AccuracyPage::chooseRun);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sortedCases_->setFilterFixedString(text);
        narrow();
    });
    connect(&theme_, &Theme::changed, this, &AccuracyPage::applyTheme);
    applyTheme();
    regroup();
}

void AccuracyPage::buildHead(QWidget& head) {
    for (const ErrorGrouping one : {ErrorGrouping::accelerator, ErrorGrouping::model, ErrorGrouping::framework, ErrorGrouping::source})
        groupingBox_->addItem(tr("By %1").arg(groupingWord(one)), static_cast<int>(one));
    groupingBox_->setToolTip(tr("What the runs are put together by"));
    groupingBox_->setAccessibleName(groupingBox_->toolTip());
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        whatBox_->addItem(errorKindLabel(kind.value), static_cast<int>(kind.value));
        whatBox_->setItemData(whatBox_->count() - 1, errorKindWord(kind.value), Qt::ToolTipRole);
    }
    whatBox_->setToolTip(tr("What the errors are of"));
    whatBox_->setAccessibleName(whatBox_->toolTip());
    for (QComboBox* box : {groupingBox_, whatBox_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->setMinimumHeight(26);
    }
    setRole(*subtitle_, "secondary");
    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    line->addWidget(title_);
    line->addWidget(subtitle_, 1);
    line->addWidget(groupingBox_);
    line->addWidget(whatBox_);
    tools_ = new QHBoxLayout;
    line->addLayout(tools_);
    auto* column = new QVBoxLayout(&head);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addLayout(line);
    column->addWidget(summary_);
}

void AccuracyPage::buildTables() {
    sortedGroups_->setSourceModel(groupsModel_);
    sortedGroups_->setSortRole(ErrorGroupsModel::sortRole);
    groups_->setModel(sortedGroups_);
    setUpRows(*groups_);
    groups_->sortByColumn(ErrorGroupsModel::meanColumn, Qt::DescendingOrder);
    groups_->setAccessibleName(tr("Errors by group"));
    sortedCases_->setSourceModel(casesModel_);
    sortedCases_->setSortRole(ErrorCasesModel::sortRole);
    sortedCases_->setFilterKeyColumn(-1);
    sortedCases_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    cases_->setModel(sortedCases_);
    setUpRows(*cases_);
    cases_->sortByColumn(ErrorCasesModel::errorColumn, Qt::DescendingOrder);
    cases_->horizontalHeader()->setStretchLastSection(true); // sources are long
    cases_->setAccessibleName(tr("Measured runs"));
    casesStack_->addWidget(cases_);
    casesStack_->addWidget(new EmptyState(theme_, tr("The measured runs behind a number, worst first."), tr("Nobody measured one of these: choose another row, or clear the filter.")));
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setToolTip(tr("Shows the runs that contain this text"));
    open_->setToolTip(tr("Opens the chosen run in the main window (Enter)"));
    open_->setEnabled(false);
    for (QTableView* view : {groups_, cases_}) {
        view->installEventFilter(this);
        view->viewport()->installEventFilter(this);
    }
}

void AccuracyPage::applyTheme() {
    title_->setFont(theme_.font(15, QFont::DemiBold));
    subtitle_->setFont(theme_.secondaryFont());
    applyTableTheme(theme_, *scope_, *filter_, *groups_);
    applyTableTheme(theme_, *scope_, *filter_, *cases_);
    fit(*groups_);
    fit(*cases_);
}

void AccuracyPage::setEvidence(std::shared_ptr<const Evidence> evidence) {
    evidence_ = std::move(evidence);
    std::set<std::string> sources;
    for (const MeasuredRun& run : evidence_->runs) sources.insert(run.source);
    QString text = tr("%1 measured runs from %2 sources").arg(evidence_->runs.size()).arg(sources.size());
    if (const auto neverSeen = neverSeenError(*evidence_, ErrorOf::time)) text += tr(" · never fitted to: %1").arg(plainPercent(neverSeen));
    subtitle_->setText(evidence_->runs.empty() ? QString() : text);
    subtitle_->setToolTip(tr("Never fitted to: the mean over the collections of runs of each one's mean error of times, by constants fitted without it. What a stack or machine without constants of its own has to expect."));
    regroup();
}

void AccuracyPage::setResult(const ResultPtr& result) {
    summary_->setResult(result);
    if (!result) return;
    const bool trains = result->training() != nullptr;
    // The figures of what the scenario does come first; what the reader chose stays until the kind changes.
    if (trains != trains_) whatBox_->setCurrentIndex(whatBox_->findData(static_cast<int>(trains ? ErrorOf::time : ErrorOf::first_token)));
    trains_ = trains;
}

ErrorGrouping AccuracyPage::grouping() const { return static_cast<ErrorGrouping>(groupingBox_->currentData().toInt()); }

ErrorOf AccuracyPage::what() const { return static_cast<ErrorOf>(whatBox_->currentData().toInt()); }

void AccuracyPage::regroup() {
    summary_->setKind(what());
    groupsModel_->setRows(grouping(), errorTotal(*evidence_, what()), errorTable(*evidence_, grouping(), what()), withoutEvidence(*evidence_, grouping(), what(), catalog_));
    casesModel_->setRuns(evidence_, what());
    fit(*groups_);
    groups_->selectRow(0);
    narrow();
}

void AccuracyPage::narrow() {
    const QModelIndex current = sortedGroups_->mapToSource(groups_->currentIndex());
    const int row = current.isValid() ? current.row() : 0;
    const bool all = groupsModel_->isTotal(row);
    sortedCases_->setGroup(grouping(), all ? std::nullopt : std::optional(groupsModel_->row(row).key));
    open_->setEnabled(cases_->currentIndex().isValid());
    casesStack_->setCurrentIndex(sortedCases_->rowCount() > 0 ? 0 : 1);
    scope_->setText(scopeText());
    fit(*cases_);

    ErrorHistogram::Errors errors;
    errors.title = all ? tr("all runs") : QString::fromStdString(groupsModel_->row(row).key);
    for (int i = 0; i < casesModel_->rowCount(); ++i)
        if (const auto error = inSampleError(casesModel_->figure(i))) errors.all.push_back(*error);
    for (int i = 0; i < sortedCases_->rowCount(); ++i) {
        const MeasuredFigure& figure = casesModel_->figure(sortedCases_->mapToSource(sortedCases_->index(i, 0)).row());
        if (const auto error = inSampleError(figure)) errors.chosen.push_back(*error);
        if (const auto error = leftOutError(figure)) errors.leftOut.push_back(*error);
    }
    histogram_->setErrors(std::move(errors));
}

QString AccuracyPage::scopeText() const {
    const QModelIndex current = sortedGroups_->mapToSource(groups_->currentIndex());
    const int runs = sortedCases_->rowCount();
    const QString group = current.isValid() && !groupsModel_->isTotal(current.row()) ? QString::fromStdString(groupsModel_->row(current.row()).key) : tr("All runs");
    return runs == 0 ? tr("%1: no measured run").arg(group) : tr("%1: %n measured run(s)", nullptr, runs).arg(group);
}

void AccuracyPage::chooseRun(const QString& id) {
    const std::optional<int> row = casesModel_->find(id);
    if (!row) return;
    filter_->clear();
    groups_->selectRow(0);
    const QModelIndex shown = sortedCases_->mapFromSource(casesModel_->index(*row, 0));
    cases_->selectRow(shown.row());
    cases_->scrollTo(shown, QAbstractItemView::PositionAtCenter);
    cases_->setFocus();
}

void AccuracyPage::openCurrent() {
    const QModelIndex current = sortedCases_->mapToSource(cases_->currentIndex());
    if (current.isValid()) emit openRequested(casesModel_->run(current.row()).scenario);
}

bool AccuracyPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == cases_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            openCurrent();
            return true;
        }
    }
    if (event->type() == QEvent::Resize) {
        if (watched == groups_->viewport()) fit(*groups_);
        if (watched == cases_->viewport()) fit(*cases_);
    }
    return QWidget::eventFilter(watched, event);
}

/// Columns are as wide as the widest text, the last column at most what it needs; what room is left is shared out.
void AccuracyPage::fit(QTableView& view) {
    const QFontMetrics metrics(theme_.font(11.5, QFont::DemiBold));
    const QAbstractItemModel& model = *view.model();
    constexpr int rowsLookedAt = 200, widest = 240;
    QList<int> widths;
    int sum = 0;
    for (int column = 0; column < model.columnCount(); ++column) {
        int width = metrics.horizontalAdvance(model.headerData(column, Qt::Horizontal).toString() + QStringLiteral(" ↓")) + 14;
        for (int row = 0; row < std::min(model.rowCount(), rowsLookedAt); ++row)
            width = std::max(width, metrics.horizontalAdvance(model.index(row, column).data().toString()) + 14);
        widths << std::min(width, widest);
        sum += widths.back();
    }
    const int spare = std::clamp((view.viewport()->width() - sum) / std::max(1, model.columnCount()), 0, 28);
    for (int column = 0; column < model.columnCount(); ++column) view.setColumnWidth(column, widths[column] + spare);
}

// What the page shows, as text for a spreadsheet.

namespace {

QByteArray cell(const QVariant& value) {
    QByteArray text = value.toString().toUtf8();
    if (text.contains(',') || text.contains('"') || text.contains('\n')) text = '"' + text.replace("\"", "\"\"") + '"';
    return text;
}

QByteArray number(const std::optional<double>& value) { return value ? QByteArray::number(*value, 'g', 6) : QByteArray(); }

} // namespace

QByteArray AccuracyPage::groupsCsv() const {
    QByteArray text = "group,runs,scored,median_abs_error_percent,mean_abs_error_percent,p90_abs_error_percent,mean_error_percent,"
                      "left_out_median_abs_error_percent,left_out_mean_abs_error_percent,left_out_p90_abs_error_percent\n";
    for (int i = 0; i < groupsModel_->rowCount(); ++i) {
        const ErrorTableRow& row = groupsModel_->row(i);
        text += cell(groupsModel_->isTotal(i) ? QVariant("all") : QVariant(QString::fromStdString(row.key))) + ',' + QByteArray::number(static_cast<qulonglong>(row.runs)) + ',' +
                QByteArray::number(static_cast<qulonglong>(row.inSample.scored));
        for (const auto& value : {row.inSample.medianAbs, row.inSample.meanAbs, row.inSample.p90Abs, row.inSample.mean, row.leftOut.medianAbs, row.leftOut.meanAbs, row.leftOut.p90Abs})
            text += ',' + number(value);
        text += '\n';
    }
    return text;
}

QByteArray AccuracyPage::casesCsv() const {
    QByteArray text = "id,collection,model,accelerator,accelerators,framework,metric,measured,predicted,error_percent,left_out_error_percent,source,url\n";
    const auto& shown = *qobject_cast<const QAbstractProxyModel*>(cases_->model());
    for (int i = 0; i < shown.rowCount(); ++i) {
        const int row = shown.mapToSource(shown.index(i, 0)).row();
        const MeasuredRun& run = casesModel_->run(row);
        const MeasuredFigure& figure = casesModel_->figure(row);
        for (const std::string& word : {run.id, run.group, run.model, run.accelerator}) text += cell(QString::fromStdString(word)) + ',';
        text += number(run.accelerators) + ',' + cell(QString::fromStdString(run.framework)) + ',' + cell(QString::fromStdString(figure.metric)) + ',' + number(figure.measured) + ',' +
                number(figure.predicted) + ',' + number(inSampleError(figure)) + ',' + number(leftOutError(figure)) + ',' + cell(QString::fromStdString(run.source)) + ',' +
                cell(QString::fromStdString(run.sourceUrl)) + '\n';
    }
    return text;
}

} // namespace orrery
