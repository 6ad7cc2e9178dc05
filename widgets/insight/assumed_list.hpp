// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "core/scenario/scenario.hpp"

#include <QAbstractTableModel>
#include <QWidget>
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

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace orrery {

class LinkTable;
class Theme;

/// The values that the user left out and that were filled in, with the reason. "set explicitly" writes one into the
/// scenario; Enter or a double click leads to its place.
class AssumedList : public QWidget {
    Q_OBJECT
public:
    explicit AssumedList(const Theme& theme, QWidget* parent = nullptr);

    AssumedModel* model() const { return model_; }
    LinkTable* view() const { return view_; }

public slots:
    void setResult(const orrery::ResultPtr& result);

signals:
    void goTo(const QString& pointer);
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);

private:
    AssumedModel* model_;
    LinkTable* view_;
    QStackedWidget* stack_;
};

} // namespace orrery
