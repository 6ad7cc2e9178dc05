// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accuracy/error_models.hpp"
#include "widgets/accuracy/accuracy_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <cmath>

namespace orrery {
namespace {

bool isWord(int column) {
    switch (column) {
    case ErrorCasesModel::idColumn:
    case ErrorCasesModel::modelColumn:
    case ErrorCasesModel::acceleratorColumn:
    case ErrorCasesModel::frameworkColumn:
    case ErrorCasesModel::sourceColumn: return true;
    default: return false;
    }
}

} // namespace

ErrorCasesModel::ErrorCasesModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {}

void ErrorCasesModel::setRuns(std::shared_ptr<const Evidence> evidence, ErrorOf what) {
    beginResetModel();
    evidence_ = std::move(evidence);
    what_ = what;
    runs_.clear();
    if (evidence_)
        for (std::size_t i = 0; i < evidence_->runs.size(); ++i)
            if (measuredFigureOf(evidence_->runs[i], what) != nullptr) runs_.push_back(i);
    endResetModel();
}

std::optional<int> ErrorCasesModel::find(const QString& id) const {
    const std::string wanted = id.toStdString();
    for (int row = 0; row < rowCount(); ++row)
        if (run(row).id == wanted) return row;
    return std::nullopt;
}

int ErrorCasesModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(runs_.size()); }

int ErrorCasesModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QString ErrorCasesModel::text(int row, int column) const {
    const MeasuredRun& one = run(row);
    const MeasuredFigure& at = figure(row);
    switch (column) {
    case idColumn: return QString::fromStdString(one.id);
    case modelColumn: return QString::fromStdString(one.model);
    case acceleratorColumn: return QString::fromStdString(one.accelerator);
    case countColumn: return grouped(one.accelerators);
    case frameworkColumn: return QString::fromStdString(one.framework);
    case measuredColumn: return figureText(at.metric, at.measured);
    case predictedColumn: return at.predicted ? figureText(at.metric, *at.predicted) : tr("can't run");
    case errorColumn: return signedPercent(inSampleError(at));
    case leftOutColumn: return signedPercent(leftOutError(at));
    case sourceColumn: return QString::fromStdString(one.source);
    default: return {};
    }
}

QVariant ErrorCasesModel::sortValue(int row, int column) const {
    const MeasuredFigure& at = figure(row);
    switch (column) {
    case countColumn: return run(row).accelerators;
    case measuredColumn: return at.measured;
    case predictedColumn: return at.predicted.value_or(-1);
    case errorColumn: return std::abs(inSampleError(at).value_or(1e9)); // what can't be predicted is the worst
    case leftOutColumn: return std::abs(leftOutError(at).value_or(0));
    default: return text(row, column);
    }
}

QVariant ErrorCasesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    switch (role) {
    case Qt::DisplayRole: return text(index.row(), index.column());
    case sortRole: return sortValue(index.row(), index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(index.column()) ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::ToolTipRole: {
        const MeasuredRun& one = run(index.row());
        const QString url = QString::fromStdString(one.sourceUrl);
        return tr("%1 (%2)\n%3%4\nEnter or a double click opens it as a scenario.")
            .arg(QString::fromStdString(one.id), QString::fromStdString(one.group), QString::fromStdString(one.source), url.isEmpty() ? QString() : QStringLiteral("\n") + url);
    }
    default: return {};
    }
}

QVariant ErrorCasesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(section) ? Qt::AlignLeft : Qt::AlignRight)));
    if (role == Qt::ToolTipRole && section == errorColumn) return tr("With the shipped constants; + is predicted too slow or too big.");
    if (role == Qt::ToolTipRole && section == leftOutColumn) return tr("With constants fitted without the run's collection.");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case idColumn: return tr("measured run");
    case modelColumn: return tr("model");
    case acceleratorColumn: return tr("accelerator");
    case countColumn: return tr("count");
    case frameworkColumn: return tr("framework");
    case measuredColumn: return tr("measured");
    case predictedColumn: return tr("predicted");
    case errorColumn: return tr("error");
    case leftOutColumn: return tr("left out");
    case sourceColumn: return tr("source");
    default: return {};
    }
}

ErrorGroupsModel::ErrorGroupsModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {
    connect(&theme_, &Theme::changed, this, [this] {
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1), {Qt::ForegroundRole, Qt::FontRole});
    });
}

void ErrorGroupsModel::setRows(ErrorGrouping grouping, ErrorTableRow total, std::vector<ErrorTableRow> rows, const std::vector<std::string>& without) {
    beginResetModel();
    grouping_ = grouping;
    rows_.clear();
    rows_.push_back(std::move(total));
    rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    for (const std::string& key : without) rows_.push_back({key, 0, {}, {}});
    endResetModel();
}

int ErrorGroupsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int ErrorGroupsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

std::optional<double> ErrorGroupsModel::number(const ErrorTableRow& row, int column) const {
    switch (column) {
    case runsColumn: return static_cast<double>(row.runs);
    case medianColumn: return row.inSample.medianAbs;
    case meanColumn: return row.inSample.meanAbs;
    case p90Column: return row.inSample.p90Abs;
    case biasColumn: return row.inSample.mean;
    case leftOutMedianColumn: return row.leftOut.medianAbs;
    case leftOutMeanColumn: return row.leftOut.meanAbs;
    case leftOutP90Column: return row.leftOut.p90Abs;
    default: return std::nullopt;
    }
}

QString ErrorGroupsModel::text(int index, int column) const {
    const ErrorTableRow& at = row(index);
    if (column == nameColumn) return isTotal(index) ? tr("All runs") : QString::fromStdString(at.key);
    if (column == runsColumn) return at.runs == 0 ? tr("none") : grouped(static_cast<double>(at.runs));
    if (at.runs == 0) return {};
    return column == biasColumn ? signedPercent(number(at, column)) : plainPercent(number(at, column));
}

QVariant ErrorGroupsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ErrorTableRow& at = row(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(index.row(), index.column());
    case sortRole: {
        if (index.column() == nameColumn) return text(index.row(), nameColumn);
        const std::optional<double> value = number(at, index.column());
        return value ? QVariant(*value) : QVariant(-1e9); // nothing known sorts below any error
    }
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (index.column() == nameColumn ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::ForegroundRole: return at.runs == 0 ? QVariant(theme_.colors().secondary) : QVariant();
    case Qt::FontRole: return isTotal(index.row()) ? QVariant(theme_.font(11.5, QFont::DemiBold)) : QVariant();
    case Qt::ToolTipRole:
        if (at.runs == 0) return tr("No run was measured with this %1: its error bars come from other ones.").arg(groupingWord(grouping_));
        return tr("%1 of %2 runs could be predicted; the worst is %3 off. Choose the row to see them.")
            .arg(at.inSample.scored)
            .arg(at.runs)
            .arg(plainPercent(at.inSample.maxAbs));
    default: return {};
    }
}

QVariant ErrorGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (section == nameColumn ? Qt::AlignLeft : Qt::AlignRight)));
    if (role == Qt::ToolTipRole) {
        if (section == biasColumn) return tr("Mean error with its sign: + is predicted too slow or too big.");
        if (section >= leftOutMedianColumn) return tr("Errors with constants fitted without the run's collection: what to expect where nothing of the kind was fitted to.");
        if (section >= medianColumn) return tr("Absolute errors with the shipped constants.");
        return {};
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case nameColumn: return groupingWord(grouping_);
    case runsColumn: return tr("runs");
    case medianColumn: return tr("median");
    case meanColumn: return tr("mean");
    case p90Column: return tr("90 % below");
    case biasColumn: return tr("bias");
    case leftOutMedianColumn: return tr("left out: median");
    case leftOutMeanColumn: return tr("mean");
    case leftOutP90Column: return tr("90 % below");
    default: return {};
    }
}

} // namespace orrery
