// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/plain_table.hpp"
#include "core/answers/explore/sweep.hpp"

#include <QAbstractTableModel>
#include <QWidget>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// Combinations of a sweep or a search as a table: the keys that take more than one value, the figures, and whether the plan fits.
class PointsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int sortRole = Qt::UserRole; ///< the plain value behind a text

    /// A row.
    struct Listed {
        std::size_t index = 0;                   ///< of the combination
        std::shared_ptr<const SweptPoint> point; ///< null: not tried yet
        QString place;                           ///< "front": in the first column, where the table has one
    };

    explicit PointsModel(const Theme& theme, QObject* parent = nullptr);

    /// Starts over. `figures`: which of the question's measures have a column. `hasPlaces`: the first column says what each row is.
    void setQuestion(SweepQuestion question, const std::vector<std::size_t>& figures, bool hasPlaces);
    const SweepQuestion& question() const { return question_; }
    void setRows(std::vector<Listed> rows);
    const std::vector<Listed>& rows() const { return rows_; }
    int rowOf(std::size_t index) const; ///< -1: none

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// All of it as plain values, for files: the first row names the columns by their pointers.
    PlainTable plain() const;

private:
    enum class Part { place,
                      key,
                      figure,
                      fits };
    struct Column {
        Part part = Part::key;
        std::size_t which = 0; ///< axis or measure
    };
    QString text(const Listed& row, const Column& column) const;
    PlainCell value(const Listed& row, const Column& column) const;

    const Theme& theme_;
    SweepQuestion question_;
    std::vector<Column> columns_;
    std::vector<Listed> rows_;
};

} // namespace orrery

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
