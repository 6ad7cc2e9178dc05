// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QAbstractTableModel>
#include <QColor>
#include <optional>
#include <vector>

namespace orrery {

/// A part of the iteration. The whole of it over all stages is what `Result::operations` sums up.
struct OperatorScope {
    int stage = -1;  ///< -1: mean over the stages
    double from = 0; ///< s
    double to = 0;   ///< s; not after `from`: the whole iteration

    bool wholeTime() const { return !(to > from); }
    bool whole() const { return stage < 0 && wholeTime(); }
};

/// Operators by name and phase with their sums over the scope, mean per accelerator and before overlap, as
/// `Result::operations`. An operator that the scope's edge cuts counts with the part inside.
std::vector<OperationRow> operatorSums(const Result& result, const OperatorScope& scope);

/// Length of the scope, s: what shares are of.
double duration(const Result& result, const OperatorScope& scope);

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
