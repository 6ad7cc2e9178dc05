// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/holder_table.hpp"

#include "widgets/common/dimming.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/insight/table_page.hpp"
#include "widgets/memory/holder_model.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace orrery {

HolderTable::HolderTable(const Theme& theme, MemoryHolders& holders, QWidget* parent)
    : QWidget(parent), theme_(theme), holders_(holders), model_(new HolderModel(theme, holders, this)), sorted_(new SortedRows(this)),
      scope_(new QLabel(this)), everything_(new QToolButton(this)), filter_(new QLineEdit(this)), view_(new QTableView),
      empty_(new EmptyState(theme, tr("What holds a stage's memory at one moment, down to the tensor."),
                            tr("Choose a model and a cluster; then click on a moment of the memory over time."))),
      stack_(new QStackedWidget(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(HolderModel::sortRole);
    sorted_->setFilterKeyColumn(-1);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    view_->setModel(sorted_);
    setUpRows(*view_);
    view_->sortByColumn(HolderModel::bytesColumn, Qt::DescendingOrder);
    view_->setAccessibleName(tr("What holds the memory"));
    view_->viewport()->installEventFilter(this);
    scope_->installEventFilter(this);
    buildHeader();
    stack_->addWidget(empty_);
    stack_->addWidget(view_);
    connect(&holders_, &MemoryHolders::changed, this, &HolderTable::updateRows);
    connect(&holders_, &MemoryHolders::chosenChanged, this, &HolderTable::followChosen);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &HolderTable::chooseCurrent);
    connect(everything_, &QToolButton::clicked, this, [this] { holders_.choose(holders_.tree().root()); });
    connect(filter_, &QLineEdit::textChanged, sorted_, &QSortFilterProxyModel::setFilterFixedString);
    tellWhenNothingMatches(*filter_, *view_);
    connect(&theme_, &Theme::changed, this, &HolderTable::applyTheme);
    applyTheme();
    updateRows();
}

void HolderTable::buildHeader() {
    everything_->setText(tr("Everything"));
    everything_->setToolTip(tr("Shows all that the stage holds, not only what is chosen"));
    everything_->setAutoRaise(true);
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setToolTip(tr("Shows the rows that contain this text"));
    scope_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    tools_ = layOutTablePage(*this, *scope_, *filter_, *stack_);
    tools_->addWidget(everything_);
}

void HolderTable::applyTheme() {
    applyTableTheme(theme_, *scope_, *filter_, *view_);
    everything_->setFont(theme_.secondaryFont());
}

void HolderTable::setBusy(bool busy) { setDimmed(*view_->viewport(), busy); }

QString HolderTable::scopeText() const {
    if (holders_.stage() < 0 || holders_.tree().isEmpty()) return tr("Memory");
    QString text = tr("Memory of %1: %2").arg(holders_.subtitle(), readableBytes(holders_.totalBytes()).text());
    const HolderTree& tree = holders_.tree();
    if (shownNode_ > 0) {
        QStringList names;
        for (int at = shownNode_; at > 0; at = tree.node(at).parent) names.prepend(tree.node(at).name);
        text += tr(", of it %1 in %2").arg(readableBytes(tree.node(shownNode_).bytes).text(), names.join(QStringLiteral(" › ")));
    }
    return text;
}

void HolderTable::updateRows() {
    shownNode_ = -1;
    stack_->setCurrentWidget(holders_.tree().isEmpty() ? empty_ : static_cast<QWidget*>(view_));
    const bool onlyKinds = holders_.hasStages() && holders_.tree().isEmpty();
    empty_->setHow(onlyKinds ? tr("An engine keeps one account of each kind: “By stage” shows them.")
                             : tr("Choose a model and a cluster; then click on a moment of the memory over time."));
    filter_->setEnabled(!holders_.tree().isEmpty());
    followChosen();
}

void HolderTable::followChosen() {
    const QScopedValueRollback<bool> guard(following_, true);
    const HolderTree& tree = holders_.tree();
    const int chosen = holders_.chosen();
    const bool tensor = chosen > 0 && tree.node(chosen).holder >= 0;
    // A chosen tensor is one of the rows that are there; a chosen group narrows them.
    const int wanted = tree.isEmpty() ? -1 : !tensor                                            ? chosen
                                         : shownNode_ >= 0 && tree.isWithin(chosen, shownNode_) ? shownNode_
                                                                                                : tree.root();
    if (wanted != shownNode_ || wanted < 0) {
        shownNode_ = wanted;
        model_->take(wanted);
        fitColumns();
    }
    const auto row = tensor ? model_->rowOf(chosen) : std::nullopt;
    const QModelIndex shown = row ? sorted_->mapFromSource(model_->index(*row, 0)) : QModelIndex();
    if (shown.isValid()) {
        view_->selectRow(shown.row());
        view_->scrollTo(shown);
    } else {
        view_->clearSelection();
        view_->setCurrentIndex({});
    }
    everything_->setVisible(shownNode_ > 0);
    showScope();
}

void HolderTable::showScope() {
    const QString text = scopeText();
    scope_->setText(QFontMetrics(scope_->font()).elidedText(text, Qt::ElideRight, std::max(40, scope_->width())));
    scope_->setToolTip(text);
}

void HolderTable::chooseCurrent() {
    const QModelIndex current = sorted_->mapToSource(view_->currentIndex());
    if (following_ || !current.isValid()) return;
    holders_.choose(model_->nodeAt(current.row()));
}

/// Gives each column the width of the widest text among the largest tensors. A narrow panel shortens names, so that bytes stay in sight.
void HolderTable::fitColumns() {
    const QFontMetrics metrics(theme_.secondaryFont());
    constexpr int padding = 14;
    const auto heading = [this](int column) { return model_->headerData(column, Qt::Horizontal).toString(); };
    const auto leastOf = [&](int column) {
        return metrics.averageCharWidth() * (column == HolderModel::tensorColumn ? 11 : 7) + padding;
    };
    std::vector<ColumnWish> wishes;
    for (int column = 0; column < HolderModel::columnTotal; ++column) {
        const int width = std::max(metrics.horizontalAdvance(heading(column) + QStringLiteral(" ↓")) + padding, longestCellWidth(*view_, column, HolderModel::widthSample));
        wishes.push_back({width, HolderModel::isWord(column) ? std::min(width, leastOf(column)) : width});
    }
    shareWidth(*view_, wishes, HolderModel::shareColumn + 1);
}

bool HolderTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    if (watched == scope_ && event->type() == QEvent::Resize) showScope();
    return QWidget::eventFilter(watched, event);
}

} // namespace orrery
