// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/explore/points_model.hpp"

#include <QWidget>

#include <optional>

class QTableView;

namespace orrery {

class SortedRows;
class Theme;

/// Combinations as a table that sorts by each of its columns. A row is chosen by a click or the arrow keys, opened by a double click or Enter.
class PointsTable : public QWidget {
    Q_OBJECT
public:
    explicit PointsTable(const Theme& theme, const QString& accessibleName, QWidget* parent = nullptr);

    PointsModel& model() { return *model_; }
    const PointsModel& model() const { return *model_; }
    QTableView* view() const { return view_; }
    void fitColumns();                                   ///< after the question changed, or its first points came
    std::optional<std::size_t> chosen() const;           ///< combination
    void choose(std::optional<std::size_t> combination); ///< says nothing of it

signals:
    void pointChosen(std::size_t combination);
    void openRequested(std::size_t combination);

private:
    void applyTheme();
    std::optional<std::size_t> combinationAt(const QModelIndex& sorted) const;

    const Theme& theme_;
    PointsModel* model_;
    SortedRows* sorted_;
    QTableView* view_;
    bool choosing_ = false;
};

} // namespace orrery
