// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QAbstractTableModel>

namespace orrery {

/// Served requests, a row each in the order of the list. Values to sort by are in Qt::UserRole.
class RequestModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { numberColumn,
                  arrivalColumn,
                  promptColumn,
                  answerColumn,
                  queueColumn,
                  ttftColumn,
                  tpotColumn,
                  e2eColumn,
                  preemptionsColumn,
                  instanceColumn,
                  columnTotal };

    using QAbstractTableModel::QAbstractTableModel;

    void setResult(ResultPtr result);
    const ServingReport* report() const { return result_ ? result_->serving() : nullptr; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    double value(std::size_t request, int column) const; ///< −1: it never came to that
    QString text(std::size_t request, int column) const;

    ResultPtr result_;
};

} // namespace orrery
