// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <QAbstractTableModel>

#include <vector>

namespace orrery {

class Theme;

/// What was filled in for the user: where, which value, why; the last column is the link that writes it into the scenario.
class AssumedModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { pointerColumn,
                  valueColumn,
                  whyColumn,
                  actionColumn,
                  columnTotal };

    explicit AssumedModel(const Theme& theme, QObject* parent = nullptr);

    void setAssumptions(std::vector<Assumption> assumptions);
    const Assumption& assumption(int row) const { return assumptions_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Theme& theme_;
    std::vector<Assumption> assumptions_;
};

} // namespace orrery
