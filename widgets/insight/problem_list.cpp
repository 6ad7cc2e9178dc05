// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/problem_list.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/link_table.hpp"

#include <QItemSelectionModel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
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

ProblemList::ProblemList(const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(new ProblemModel(theme, this)),
      view_(new LinkTable(theme, ProblemModel::mendColumn, ProblemModel::messageColumn)), goToButton_(new QPushButton(tr("Go to"))),
      stack_(new QStackedWidget(this)) {
    view_->setModel(model_);
    view_->setAccessibleName(tr("Problems"));
    goToButton_->setToolTip(tr("Leads to the place of the chosen problem"));
    goToButton_->setEnabled(false);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 4, 12, 8);
    column->setSpacing(4);
    column->addWidget(view_, 1);
    column->addWidget(goToButton_, 0, Qt::AlignLeft);
    stack_->addWidget(new EmptyState(theme, tr("No problems."), tr("What a scenario gets wrong, and what would mend it, is listed here.")));
    stack_->addWidget(page);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(stack_);

    connect(view_, &LinkTable::rowOpened, this, [this](const QModelIndex& index) { open(index.row()); });
    connect(view_, &LinkTable::linkFollowed, this, [this](const QModelIndex& index) {
        const Problem at = model_->problem(index.row()); // a copy: the edit may replace the list
        emit editRequested(QString::fromStdString(at.mend), at.edits);
    });
    connect(goToButton_, &QPushButton::clicked, this, [this] {
        if (view_->currentIndex().isValid()) open(view_->currentIndex().row());
    });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        goToButton_->setEnabled(current.isValid() && model_->problem(current.row()).file.empty());
    });
}

void ProblemList::setProblems(const Problems& problems) {
    model_->setProblems(problems);
    goToButton_->setEnabled(false);
    stack_->setCurrentIndex(problems.empty() ? 0 : 1);
    view_->fitToContents();
}

void ProblemList::open(int row) {
    const Problem& at = model_->problem(row);
    if (at.file.empty()) emit goTo(QString::fromStdString(at.pointer));
}

} // namespace orrery
