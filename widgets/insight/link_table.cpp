// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/link_table.hpp"

#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace orrery {

LinkTable::LinkTable(const Theme& theme, int linkColumn, int stretchColumn, QWidget* parent)
    : QTableView(parent), theme_(theme), linkColumn_(linkColumn), stretchColumn_(stretchColumn) {
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setWordWrap(true);
    setTextElideMode(Qt::ElideRight);
    setFrameShape(NoFrame);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    setVerticalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    setItemDelegate(new RowDelegate(linkColumn, this));
    connect(&theme_, &Theme::changed, this, &LinkTable::applyTheme);
    applyTheme();
}

void LinkTable::applyTheme() {
    setStyleSheet(RowDelegate::rowStyle(theme_));
    setFont(theme_.secondaryFont());
    verticalHeader()->setMinimumSectionSize(QFontMetrics(theme_.secondaryFont()).height() + 2 * RowDelegate::linePadding);
    fitToContents();
}

void LinkTable::fitToContents() {
    if (model() == nullptr) return;
    int taken = 0;
    for (int column = 0; column < model()->columnCount(); ++column) {
        if (column == stretchColumn_) continue;
        // A pointer or a value can be a book: it may take a third of the width and wraps from there.
        const int wanted = std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column)) + 8;
        const int width = std::min(wanted, std::max(80, viewport()->width() / 3));
        setColumnWidth(column, width);
        taken += width;
    }
    setColumnWidth(stretchColumn_, std::max(140, viewport()->width() - taken));
    resizeRowsToContents();
}

bool LinkTable::isLink(const QModelIndex& index) const {
    return index.isValid() && index.column() == linkColumn_ && (index.flags() & Qt::ItemIsEnabled) && !index.data().toString().isEmpty() &&
           index.data(Qt::UserRole).toBool();
}

void LinkTable::mouseMoveEvent(QMouseEvent* event) {
    viewport()->setCursor(isLink(indexAt(event->position().toPoint())) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    QTableView::mouseMoveEvent(event);
}

void LinkTable::mouseReleaseEvent(QMouseEvent* event) {
    QTableView::mouseReleaseEvent(event);
    const QModelIndex index = indexAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && isLink(index)) emit linkFollowed(index);
}

void LinkTable::mouseDoubleClickEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    if (index.isValid() && !isLink(index)) emit rowOpened(index);
}

void LinkTable::keyPressEvent(QKeyEvent* event) {
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        if (isLink(currentIndex())) emit linkFollowed(currentIndex());
        else emit rowOpened(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

void LinkTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitToContents();
}

} // namespace orrery
