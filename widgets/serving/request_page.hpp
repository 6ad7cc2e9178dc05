// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QWidget>

#include <optional>

class QTableView;

namespace orrery {

class RequestLanes;
class RequestLife;
class RequestModel;
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
