// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"
#include "widgets/common/format.hpp"

#include <QAbstractTableModel>
#include <vector>

namespace orrery {

/// A number of a study in its unit: "bytes", "s", "1" (shown in percent), or any other word after the number.
Readable studyNumber(double value, const QString& unit);

/// One unit for a whole axis up to `largest`: what its numbers are divided by, and its name.
struct AxisUnit {
    double factor = 1;
    QString name;
};
AxisUnit axisUnit(double largest, const QString& unit);

/// A word of a result, translated ("shared_memory" → "shared memory").
QString studyWord(const std::string& word);

/// What a chain's step does to a plot, and by what: "× 1.75 (batch), × 9.0 in all"; empty for another study, for the first step, and
/// where nothing is known yet.
QString stepText(const StudyResult& result, std::size_t plot, std::size_t point);
/// The whole chain so far: "× 31.7 = accelerator 3.6 × precision 1.4 × …"; empty where there is none.
QString chainText(const StudyResult& result, std::size_t plot);
/// "× 1.75", with as many digits as tell.
QString factorText(double factor);

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
