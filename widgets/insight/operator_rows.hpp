// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QAbstractTableModel>
#include <QColor>

#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// Rows of operators for OperatorTable. `sortRole` gives the plain numbers behind the texts.
class OperatorRows : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { operatorColumn,
                  phaseColumn,
                  countColumn,
                  totalColumn,
                  shareColumn,
                  meanColumn,
                  boundColumn,
                  sourceColumn,
                  rateColumn,
                  columnTotal };
    static constexpr int sortRole = Qt::UserRole;

    explicit OperatorRows(const Theme& theme, QObject* parent = nullptr);

    /// `ofTime`: what shares are of, s.
    void setRows(std::vector<OperationRow> rows, double ofTime);
    const OperationRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
    std::optional<int> find(const QString& name, const QString& phase) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const OperationRow& row, int column) const;
    QVariant number(const OperationRow& row, int column) const;
    double share(const OperationRow& row) const { return ofTime_ > 0 ? row.time / ofTime_ : 0; }

    const Theme& theme_;
    std::vector<OperationRow> rows_;
    double ofTime_ = 0;
};

} // namespace orrery
