// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/problem_model.hpp"

#include "widgets/common/place_words.hpp"
#include "widgets/common/theme.hpp"

#include <algorithm>

namespace orrery {

namespace {

QString where(const Problem& problem) {
    if (problem.file.empty()) return placeWords(problem.pointer);
    QString place = QString::fromStdString(problem.file);
    if (problem.line > 0) place += QStringLiteral(":%1").arg(problem.line);
    if (problem.line > 0 && problem.column > 0) place += QStringLiteral(":%1").arg(problem.column);
    return place;
}

} // namespace

ProblemModel::ProblemModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {
    connect(&theme_, &Theme::changed, this, [this] {
        if (!problems_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1), {Qt::ForegroundRole});
    });
}

void ProblemModel::setProblems(Problems problems) {
    beginResetModel();
    problems_ = std::move(problems);
    std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    endResetModel();
}

int ProblemModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(problems_.size()); }

int ProblemModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Problem& at = problem(index.row());
    const bool link = index.column() == mendColumn && !at.edits.empty();
    if (role == Qt::UserRole) return link;
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignTop));
    if (role == Qt::ToolTipRole && index.column() == mendColumn && link) return tr("Does this edit; undo takes it back");
    if (role == Qt::ToolTipRole && index.column() == whereColumn) return QString::fromStdString(at.pointer);
    if (role == Qt::ForegroundRole) {
        const ThemeColors& colors = theme_.colors();
        if (link) return colors.accent;
        if (index.column() == whereColumn) return colors.secondary;
        if (index.column() != severityColumn) return {};
        return at.severity == Severity::error ? colors.error : at.severity == Severity::warning ? colors.warning
                                                                                                : colors.secondary;
    }
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case severityColumn: return at.severity == Severity::error ? tr("error") : at.severity == Severity::warning ? tr("warning")
                                                                                                                : tr("note");
    case whereColumn: return where(at);
    case messageColumn: return QString::fromStdString(at.message);
    case mendColumn: return QString::fromStdString(at.mend);
    default: return {};
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case severityColumn: return tr("severity");
    case whereColumn: return tr("where");
    case messageColumn: return tr("problem");
    case mendColumn: return tr("mend");
    default: return {};
    }
}

} // namespace orrery
