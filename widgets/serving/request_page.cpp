// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/request_page.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/insight/table_page.hpp"
#include "widgets/serving/request_lanes.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QEvent>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace orrery {

void RequestModel::setResult(ResultPtr result) {
    beginResetModel();
    result_ = std::move(result);
    endResetModel();
}

int RequestModel::rowCount(const QModelIndex& parent) const {
    const ServingReport* served = report();
    return parent.isValid() || served == nullptr || !served->requests ? 0 : static_cast<int>(std::min(served->records.size(), served->requests->requests.size()));
}

int RequestModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

double RequestModel::value(std::size_t request, int column) const {
    const RequestRecord& record = report()->records[request];
    const Request& asked = report()->requests->requests[request];
    switch (column) {
    case numberColumn: return static_cast<double>(request);
    case arrivalColumn: return record.arrival;
    case promptColumn: return asked.input;
    case answerColumn: return asked.output;
    case queueColumn: return record.admitted < 0 ? -1 : record.queued;
    case ttftColumn: return record.firstToken < 0 ? -1 : record.firstToken - record.arrival;
    case tpotColumn: return tpotOf(asked, record).value_or(-1);
    case e2eColumn: return record.isCompleted() ? record.finish - record.arrival : -1;
    case preemptionsColumn: return record.preemptions;
    case instanceColumn: return record.instance >= 0 ? record.instance : record.prefillInstance;
    default: return 0;
    }
}

QString RequestModel::text(std::size_t request, int column) const {
    const double number = value(request, column);
    switch (column) {
    case numberColumn: return QStringLiteral("r") + QString::number(request);
    case arrivalColumn: return Readable{grouped(number, 3), QStringLiteral("s")}.text();
    case promptColumn:
    case answerColumn:
    case preemptionsColumn: return grouped(number);
    case instanceColumn: return number < 0 ? QString(QChar(0x2013)) : grouped(number);
    case e2eColumn:
        if (report()->records[request].rejection != Rejection::none) return tr("rejected");
        break;
    default: break;
    }
    return number < 0 ? QString(QChar(0x2013)) : readableTime(number).text();
}

QVariant RequestModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto request = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(request, index.column());
    case Qt::UserRole: return value(request, index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(index.column() == numberColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant RequestModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(section == numberColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case queueColumn: return tr("How long it waited for a place");
        case ttftColumn: return tr("From its arrival to its first token");
        case tpotColumn: return tr("Mean time between two tokens after the first");
        case e2eColumn: return tr("From its arrival to its last token");
        case preemptionsColumn: return tr("How often its blocks were taken from it");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case numberColumn: return tr("Request");
    case arrivalColumn: return tr("Arrival");
    case promptColumn: return tr("Prompt");
    case answerColumn: return tr("Answer");
    case queueColumn: return tr("Queue");
    case ttftColumn: return tr("TTFT");
    case tpotColumn: return tr("TPOT");
    case e2eColumn: return tr("E2E");
    case preemptionsColumn: return tr("Preempted");
    case instanceColumn: return tr("Instance");
    default: return {};
    }
}

RequestPage::RequestPage(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), selection_(selection), model_(new RequestModel(this)), rows_(new SortedRows(this)), view_(new QTableView),
      lanes_(new RequestLanes(theme)), life_(new RequestLife(theme)) {
    rows_->setSourceModel(model_);
    rows_->setSortRole(Qt::UserRole);
    view_->setModel(rows_);
    setUpRows(*view_);
    view_->setAccessibleName(tr("Requests"));
    view_->viewport()->installEventFilter(this);
    view_->sortByColumn(RequestModel::numberColumn, Qt::AscendingOrder);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(lanes_, 1);
    lanes_->hide(); // until there is room
    column->addWidget(view_, 1);
    column->addWidget(new Hairline);
    column->addWidget(life_);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RequestPage::showChosen);
    connect(lanes_, &RequestLanes::laneClicked, this, &RequestPage::choose);
    connect(&theme_, &Theme::changed, this, &RequestPage::applyTheme);
    applyTheme();
}

void RequestPage::setResult(ResultPtr result) {
    const QScopedValueRollback<bool> guard(replacing_, true);
    result_ = std::move(result);
    model_->setResult(result_);
    lanes_->setResult(result_);
    life_->setRequest(result_, std::nullopt);
    fitColumns();
}

std::optional<std::size_t> RequestPage::chosen() const {
    const QModelIndex current = view_->currentIndex();
    return current.isValid() ? std::optional(static_cast<std::size_t>(rows_->mapToSource(current).row())) : std::nullopt;
}

void RequestPage::choose(std::size_t request) {
    const QModelIndex index = rows_->mapFromSource(model_->index(static_cast<int>(request), 0));
    view_->setCurrentIndex(index);
    view_->scrollTo(index);
}

void RequestPage::showChosen() {
    if (replacing_) return;
    const std::optional<std::size_t> request = chosen();
    lanes_->setChosen(request);
    life_->setRequest(result_, request);
    const ServingReport* report = model_->report();
    if (!request || !report || !report->records[*request].isCompleted()) return;
    selection_.setRange(report->records[*request].arrival, report->records[*request].finish);
}

void RequestPage::applyTheme() {
    const QFont rows = theme_.secondaryFont();
    view_->setStyleSheet(RowDelegate::rowStyle(theme_));
    view_->setFont(rows);
    view_->horizontalHeader()->setFont(rows);
    view_->verticalHeader()->setDefaultSectionSize(QFontMetrics(rows).height() + 2 * RowDelegate::linePadding);
    view_->verticalHeader()->setMinimumSectionSize(QFontMetrics(rows).height() + 2);
    fitColumns();
}

void RequestPage::fitColumns() {
    std::vector<ColumnWish> wishes;
    for (int column = 0; column < RequestModel::columnTotal; ++column) {
        constexpr int time = 64, sortSign = 10; // "16.83 ms"
        const int needed = std::max(view_->horizontalHeader()->sectionSizeHint(column), time);
        wishes.push_back({needed + sortSign, needed});
    }
    shareWidth(*view_, wishes, RequestModel::columnTotal);
}

void RequestPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    constexpr int roomForBoth = 240; // px: else neither would show more than a few requests
    lanes_->setVisible(height() >= roomForBoth);
}

bool RequestPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    return QWidget::eventFilter(watched, event);
}

} // namespace orrery
