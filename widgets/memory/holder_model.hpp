// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/memory/memory_holders.hpp"

#include <QAbstractTableModel>

namespace orrery {

class Theme;

/// Holders of a stage's memory for HolderTable. `sortRole` gives the plain numbers behind the texts.
class HolderModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { tensorColumn,
                  kindColumn,
                  placeColumn,
                  countColumn,
                  bytesColumn,
                  shareColumn,
                  microBatchColumn, ///< few tensors belong to one
                  firstColumn,
                  lastColumn,
                  columnTotal };
    static constexpr int sortRole = Qt::UserRole;
    static bool isWord(int column);         ///< its texts are names, not numbers
    static constexpr int widthSample = 200; ///< rows that column widths are taken from

    HolderModel(const Theme& theme, const MemoryHolders& holders, QObject* parent = nullptr);

    /// Takes what the holders are now, narrowed to what lies in `node` of their tree.
    void take(int node);
    int holderAt(int row) const { return rows_[static_cast<std::size_t>(row)]; } ///< index into the holders
    int nodeAt(int row) const { return nodes_[static_cast<std::size_t>(row)]; }  ///< of the tree
    std::optional<int> rowOf(int node) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const MemoryHolder& holder, int column) const;
    QVariant number(const MemoryHolder& holder, int column) const;

    const Theme& theme_;
    const MemoryHolders& holders_;
    std::vector<int> rows_;
    std::vector<int> nodes_;
};

} // namespace orrery
