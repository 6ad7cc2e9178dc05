// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/network/link_load_table.hpp"

#include "widgets/common/dimming.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/insight/table_page.hpp"
#include "widgets/network/link_load_drawing.hpp"
#include "widgets/network/link_load_model.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>

namespace orrery {

LinkLoadTable::LinkLoadTable(const Theme& theme, NetworkTraffic& traffic, QWidget* parent)
    : QWidget(parent), theme_(theme), traffic_(traffic), model_(new LinkLoadModel(theme, traffic, this)), scopeLabel_(new QLabel(this)),
      filter_(new QLineEdit(this)), view_(new QTableView), stack_(new QStackedWidget(this)),
      nothing_(new EmptyState(theme, tr("Links of the cluster by load: bytes, share of the bandwidth, and who uses them."),
                              tr("Choose a model and draw a cluster; the cursor or a range in the timeline says when."))),
      unknown_(new EmptyState(theme, tr("Nothing is known to be sent over a network."),
                              tr("Serving and static batches count their communication in the operators' times. Training: use more than one accelerator: raise the tensor, pipeline or data parallelism, or add hosts."))),
      noMatch_(new EmptyState(theme, tr("No link matches the filter."), tr("Filter by a node's name, or by who uses the link."))) {
    view_->setModel(model_);
    setUpRows(*view_);
    view_->sortByColumn(LinkLoadModel::loadColumn, Qt::DescendingOrder);
    view_->setAccessibleName(tr("Links by load"));
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->viewport()->installEventFilter(this);
    view_->installEventFilter(this);
    buildHeader();
    for (QWidget* page : {nothing_, unknown_, noMatch_, static_cast<QWidget*>(view_)}) stack_->addWidget(page);

    pending_.setSingleShot(true);
    pending_.setInterval(60);
    connect(&pending_, &QTimer::timeout, this, &LinkLoadTable::updateLoads);
    connect(&traffic_, &NetworkTraffic::replaced, this, &LinkLoadTable::replaceLinks);
    connect(&traffic_, &NetworkTraffic::changed, this, [this] {
        if (fresh_) {
            fresh_ = false;
            updateLoads();
            fitColumns();
        } else if (isVisible() && !pending_.isActive()) {
            pending_.start();
        }
    });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LinkLoadTable::chooseCurrent);
    connect(view_, &QTableView::customContextMenuRequested, this, &LinkLoadTable::showMenu);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        const QScopedValueRollback<bool> guard(following_, true);
        model_->setFilter(text);
        stack_->setCurrentWidget(model_->rowCount() > 0 ? static_cast<QWidget*>(view_) : noMatch_);
        followChosen();
    });
    connect(&theme_, &Theme::changed, this, &LinkLoadTable::applyTheme);
    applyTheme();
    replaceLinks();
}

void LinkLoadTable::buildHeader() {
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setToolTip(tr("Shows the links whose ends or users contain this text"));
    filter_->setAccessibleName(tr("Filter links"));
    tools_ = layOutTablePage(*this, *scopeLabel_, *filter_, *stack_);
}

void LinkLoadTable::applyTheme() {
    applyTableTheme(theme_, *scopeLabel_, *filter_, *view_);
}

QString LinkLoadTable::scopeText() const { return traffic_.isKnown() ? tr("Links, %1").arg(traffic_.scopeText()) : tr("Links"); }

void LinkLoadTable::setBusy(bool busy) { setDimmed(*view_->viewport(), busy); }

void LinkLoadTable::replaceLinks() {
    {
        const QScopedValueRollback<bool> guard(following_, true);
        chosen_.clear();
        model_->replaceLinks();
    }
    filter_->setEnabled(traffic_.isKnown());
    stack_->setCurrentWidget(!traffic_.result() ? nothing_ : !traffic_.isKnown()  ? unknown_
                                                         : model_->rowCount() > 0 ? static_cast<QWidget*>(view_)
                                                                                  : noMatch_);
    fresh_ = true;
    updateLoads();
}

void LinkLoadTable::updateLoads() {
    pending_.stop();
    const QScopedValueRollback<bool> guard(following_, true);
    const QString before = scopeLabel_->text();
    scopeLabel_->setText(scopeText());
    model_->updateLoads();
    if (before != scopeLabel_->text()) view_->horizontalHeader()->viewport()->update(); // bytes become a rate
}

void LinkLoadTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    updateLoads(); // what moved while it was hidden
    fitColumns();
    if (chosen_.empty()) view_->scrollToTop(); // not where something stood that is chosen no more
}

/// Columns are as wide as the widest of the first rows' texts; the users take what is left.
void LinkLoadTable::fitColumns() {
    if (!isVisible()) return; // they are fitted when it is shown
    constexpr int measured = 200, air = 14;
    const QFontMetrics metrics(theme_.secondaryFont());
    int taken = 0;
    for (int column = 0; column < LinkLoadModel::usersColumn; ++column) {
        int width = metrics.horizontalAdvance(model_->title(column) + QStringLiteral(" ↓")) + air;
        for (int row = 0; row < std::min(measured, model_->rowCount()); ++row)
            width = std::max(width, metrics.horizontalAdvance(model_->index(row, column).data().toString()) + air);
        // The widest number is still to come.
        if (column >= LinkLoadModel::bytesColumn) width = std::max(width, metrics.horizontalAdvance(QStringLiteral("888.8 MB/s")) + air);
        width = std::min(width, 260) + 8;
        view_->setColumnWidth(column, width);
        taken += width;
    }
    view_->setColumnWidth(LinkLoadModel::usersColumn, std::max(160, view_->viewport()->width() - taken));
}

bool LinkLoadTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    if (watched == view_ && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copyRows();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void LinkLoadTable::setChosen(const std::vector<int>& links) {
    if (links == chosen_) return;
    chosen_ = links;
    followChosen();
}

void LinkLoadTable::followChosen() {
    const QScopedValueRollback<bool> guard(following_, true);
    // Among several it is the one shown highest: the most loaded, as a rule.
    std::optional<int> row;
    for (const int link : chosen_)
        if (const auto shown = model_->rowOf(link); shown && (!row || *shown < *row)) row = shown;
    const QModelIndex current = view_->currentIndex();
    if (row && current.isValid() && std::find(chosen_.begin(), chosen_.end(), model_->linkAt(current.row())) != chosen_.end()) row = current.row();
    if (!row) {
        view_->clearSelection();
        view_->setCurrentIndex({});
        return;
    }
    view_->selectRow(*row);
    view_->scrollTo(model_->index(*row, 0));
}

void LinkLoadTable::chooseCurrent() {
    if (following_) return;
    const QModelIndex current = view_->currentIndex();
    const int link = current.isValid() ? model_->linkAt(current.row()) : -1;
    chosen_ = link >= 0 ? std::vector<int>{link} : std::vector<int>{};
    emit linkChosen(link);
}

void LinkLoadTable::copyRows() {
    std::vector<int> rows;
    for (const QModelIndex& index : view_->selectionModel()->selectedRows()) rows.push_back(index.row());
    QGuiApplication::clipboard()->setText(QString::fromUtf8(model_->csv(rows.empty() ? model_->allRows() : rows)));
}

void LinkLoadTable::showMenu(const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy as CSV"), this, &LinkLoadTable::copyRows);
    menu->popup(view_->viewport()->mapToGlobal(position));
}

ChartPlot LinkLoadTable::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::bars;
    plot.x = 0;
    plot.y = {5};
    plot.xTitle = tr("link");
    plot.yTitle = tr("load");
    return plot;
}

QByteArray LinkLoadTable::csv() const { return model_->csv(model_->allRows()); }

ChartHeading LinkLoadTable::heading() const { return {tr("Links"), traffic_.isKnown() ? traffic_.scopeText() : QString()}; }

QString LinkLoadTable::whyNothing() const { return traffic_.isKnown() ? QString() : tr("Nothing is sent over a network."); }

void LinkLoadTable::renderBody(QPainter& painter, const QRectF& area) const {
    if (traffic_.isKnown()) drawLinkLoads(painter, area.adjusted(12, 0, -12, -8), *model_, theme_);
    else drawEmptyState(painter, area, theme_, tr("Nothing is sent over a network."), {});
}

} // namespace orrery
