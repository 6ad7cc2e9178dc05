// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/problem_list.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/insight/link_table.hpp"
#include "widgets/insight/problem_model.hpp"

#include <QItemSelectionModel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace orrery {

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
