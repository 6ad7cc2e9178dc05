// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"

#include <QAbstractTableModel>

#include <vector>

namespace orrery {

class Theme;

/// A study as a table: a row a point; the axes' values, then of every plot the number and, where it has one, its closed form
/// and how far they differ.
class StudyModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int sortRole = Qt::UserRole; ///< the plain number behind a text

    explicit StudyModel(const Theme& theme, QObject* parent = nullptr);

    void setResult(const StudyResultPtr& result); ///< may still be running

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    enum class Part { value,
                      formula,
                      difference };
    struct Column {
        std::size_t plot = 0;
        Part part = Part::value;
    };
    const Column& of(int column) const { return columns_[static_cast<std::size_t>(column - axes())]; }
    int axes() const { return result_ ? static_cast<int>(result_->study.axes.size()) : 0; }
    QString text(int row, int column) const;
    std::optional<double> number(int row, int column) const;

    const Theme& theme_;
    StudyResultPtr result_;
    std::vector<Column> columns_; ///< behind the axes'
};

} // namespace orrery
