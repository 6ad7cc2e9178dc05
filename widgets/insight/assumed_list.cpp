// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/assumed_list.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/insight/assumed_model.hpp"
#include "widgets/insight/link_table.hpp"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace orrery {

AssumedList::AssumedList(const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(new AssumedModel(theme, this)),
      view_(new LinkTable(theme, AssumedModel::actionColumn, AssumedModel::whyColumn)), stack_(new QStackedWidget(this)) {
    view_->setModel(model_);
    view_->setAccessibleName(tr("Assumed values"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 4, 12, 8);
    column->addWidget(view_);
    stack_->addWidget(new EmptyState(theme, tr("Nothing assumed."), tr("Values that a scenario leaves out are listed here, with what was taken and why.")));
    stack_->addWidget(page);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(stack_);

    connect(view_, &LinkTable::rowOpened, this,
            [this](const QModelIndex& index) { emit goTo(QString::fromStdString(model_->assumption(index.row()).pointer)); });
    connect(view_, &LinkTable::linkFollowed, this, [this](const QModelIndex& index) {
        const Assumption at = model_->assumption(index.row()); // a copy: the edit may replace the list
        emit editRequested(tr("Set %1").arg(placeWords(at.pointer)), {{at.pointer, at.value}});
    });
}

void AssumedList::setResult(const ResultPtr& result) {
    model_->setAssumptions(result != nullptr ? result->assumed : std::vector<Assumption>{});
    stack_->setCurrentIndex(model_->rowCount() == 0 ? 0 : 1);
    view_->fitToContents();
}

} // namespace orrery
