// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/holder_model.hpp"

#include "widgets/common/core_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QPainter>
#include <QPixmap>

#include <algorithm>

namespace orrery {
namespace {

QPixmap swatch(const QColor& color) {
    QPixmap square(9, 9);
    square.fill(Qt::transparent);
    QPainter painter(&square);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(0, 0, 9, 9), 2, 2);
    return square;
}

} // namespace

bool HolderModel::isWord(int column) {
    return column == tensorColumn || column == kindColumn || column == placeColumn ||
           column == firstColumn || column == lastColumn;
}

HolderModel::HolderModel(const Theme& theme, const MemoryHolders& holders, QObject* parent)
    : QAbstractTableModel(parent), theme_(theme), holders_(holders) {}

void HolderModel::take(int node) {
    beginResetModel();
    rows_.clear();
    nodes_.clear();
    const HolderTree& tree = holders_.tree();
    for (int i = 0; i < tree.size(); ++i) {
        if (tree.node(i).holder < 0 || !tree.isWithin(i, node)) continue;
        rows_.push_back(tree.node(i).holder);
        nodes_.push_back(i);
    }
    endResetModel();
}

std::optional<int> HolderModel::rowOf(int node) const {
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    return found == nodes_.end() ? std::nullopt : std::optional(static_cast<int>(found - nodes_.begin()));
}

int HolderModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int HolderModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QString HolderModel::text(const MemoryHolder& holder, int column) const {
    switch (column) {
    case tensorColumn: return coreWords(holder.tensor);
    case kindColumn: return memoryKindName(holder.kind);
    case placeColumn: return holderPlace(holder);
    case microBatchColumn: return holder.microBatch < 0 ? QString() : grouped(holder.microBatch);
    case countColumn: return grouped(holder.count);
    case bytesColumn: return readableBytes(holder.bytes).text();
    case shareColumn: return readablePercent(holders_.totalBytes() > 0 ? holder.bytes / holders_.totalBytes() : 0).text();
    case firstColumn: return holder.firstOperator.empty() ? tr("from the beginning") : QString::fromStdString(holder.firstOperator);
    case lastColumn: return holder.lastOperator.empty() ? tr("to the end") : QString::fromStdString(holder.lastOperator);
    default: return {};
    }
}

QVariant HolderModel::number(const MemoryHolder& holder, int column) const {
    switch (column) {
    case kindColumn: return static_cast<int>(holder.kind);
    case placeColumn: return holder.layer;
    case microBatchColumn: return holder.microBatch;
    case countColumn: return holder.count;
    case bytesColumn:
    case shareColumn: return holder.bytes;
    default: return text(holder, column);
    }
}

QVariant HolderModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const MemoryHolder& holder = holders_.holders()[static_cast<std::size_t>(holderAt(index.row()))];
    switch (role) {
    case Qt::DisplayRole: return text(holder, index.column());
    case sortRole: return number(holder, index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(index.column()) ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::DecorationRole:
        if (index.column() == tensorColumn) return swatch(theme_.color(holder.kind));
        return {};
    case Qt::ToolTipRole: {
        const QString times = tr("%1 to %2").arg(readableTime(holder.from).text(), readableTime(holder.to).text());
        return isWord(index.column()) ? text(holder, index.column()) + u'\n' + times : times; // the words may be elided
    }
    default: return {};
    }
}

QVariant HolderModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(section) ? Qt::AlignLeft : Qt::AlignRight)));
    if (role == Qt::ToolTipRole && section == countColumn) return tr("Tensors of this name, layer and micro-batch");
    if (role == Qt::ToolTipRole && section == shareColumn) return tr("Share of what the stage holds at this moment");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case tensorColumn: return tr("tensor");
    case kindColumn: return tr("kind");
    case placeColumn: return tr("in");
    case microBatchColumn: return tr("micro-batch");
    case countColumn: return tr("count");
    case bytesColumn: return tr("bytes");
    case shareColumn: return tr("share");
    case firstColumn: return tr("written by");
    case lastColumn: return tr("needed last by");
    default: return {};
    }
}

} // namespace orrery
