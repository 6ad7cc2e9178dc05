// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/request_page.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/insight/table_page.hpp"
#include "widgets/serving/request_lanes.hpp"
#include "widgets/serving/request_life.hpp"
#include "widgets/serving/request_model.hpp"

#include <QEvent>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>

namespace orrery {

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
