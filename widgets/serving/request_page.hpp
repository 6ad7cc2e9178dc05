// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QAbstractTableModel>
#include <QWidget>
#include <optional>

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

class QTableView;

namespace orrery {

class RequestLanes;
class RequestLife;
class Selection;
class SortedRows;
class Theme;

/// Every request as a lane over time (where there is room) and in a table sorted by a column, and the life of the chosen one below. Choosing one puts its time into the shared range.
class RequestPage : public QWidget {
    Q_OBJECT
public:
    RequestPage(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    QTableView* view() const { return view_; }
    RequestLanes& lanes() const { return *lanes_; }
    const RequestLife& life() const { return *life_; }
    std::optional<std::size_t> chosen() const;
    void choose(std::size_t request);

public slots:
    void setResult(orrery::ResultPtr result);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();
    void fitColumns();
    void showChosen();

    const Theme& theme_;
    Selection& selection_;
    ResultPtr result_;
    RequestModel* model_;
    SortedRows* rows_;
    QTableView* view_;
    RequestLanes* lanes_;
    RequestLife* life_;
    bool replacing_ = false;
};

} // namespace orrery
