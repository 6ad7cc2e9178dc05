// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_tables.hpp"

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// Measured runs with what was measured, what is predicted and how far off that is. `sortRole` gives plain numbers, errors by size.
class ErrorCasesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { idColumn,
                  modelColumn,
                  acceleratorColumn,
                  countColumn,
                  frameworkColumn,
                  measuredColumn,
                  predictedColumn,
                  errorColumn,
                  leftOutColumn,
                  sourceColumn,
                  columnTotal };
    static constexpr int sortRole = Qt::UserRole;

    explicit ErrorCasesModel(const Theme& theme, QObject* parent = nullptr);

    void setRuns(std::shared_ptr<const Evidence> evidence, ErrorOf what);
    const MeasuredRun& run(int row) const { return evidence_->runs[runs_[static_cast<std::size_t>(row)]]; }
    const MeasuredFigure& figure(int row) const { return *measuredFigureOf(run(row), what_); }
    std::optional<int> find(const QString& id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(int row, int column) const;
    QVariant sortValue(int row, int column) const;

    const Theme& theme_;
    std::shared_ptr<const Evidence> evidence_;
    ErrorOf what_ = ErrorOf::time;
    std::vector<std::size_t> runs_; ///< those that measured it
};

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
