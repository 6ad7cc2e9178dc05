// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_tables.hpp"

#include <QAbstractTableModel>

#include <vector>

namespace orrery {

class Theme;

/// Errors by accelerator, model, framework or collection: all runs together first, then the groups worst first, then what the
/// catalogue has and nobody measured. `sortRole` gives the plain numbers behind the texts.
class ErrorGroupsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { nameColumn,
                  runsColumn,
                  medianColumn,
                  meanColumn,
                  p90Column,
                  biasColumn,
                  leftOutMedianColumn,
                  leftOutMeanColumn,
                  leftOutP90Column,
                  columnTotal };
    static constexpr int sortRole = Qt::UserRole;

    explicit ErrorGroupsModel(const Theme& theme, QObject* parent = nullptr);

    void setRows(ErrorGrouping grouping, ErrorTableRow total, std::vector<ErrorTableRow> rows, const std::vector<std::string>& without);
    bool isTotal(int row) const { return row == 0; }
    const ErrorTableRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::optional<double> number(const ErrorTableRow& row, int column) const;
    QString text(int row, int column) const;

    const Theme& theme_;
    ErrorGrouping grouping_ = ErrorGrouping::accelerator;
    std::vector<ErrorTableRow> rows_;
};

} // namespace orrery
