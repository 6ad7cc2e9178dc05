// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_row.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/field_problems.hpp"

#include <QContextMenuEvent>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>

#include <algorithm>

namespace orrery {
namespace {
constexpr int labelGap = 8;        ///< px between label and editor
constexpr int messageColumn = 150; ///< px; narrower ones give a message the whole row
} // namespace

FieldRow::FieldRow(const QString& label, const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), label_(new QLabel(label, this)), problems_(new FieldProblems(theme, this)), grid_(new QGridLayout(this)) {
    label_->setFont(theme_.bodyFont());
    label_->setMinimumHeight(26);
    setRole(*label_, "secondary");
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(labelGap);
    grid_->setVerticalSpacing(1);
    connect(&theme_, &Theme::changed, this, [this] { label_->setFont(theme_.bodyFont()); });
}

void FieldRow::setEditor(QWidget* editor, FieldControl* control) {
    editor_ = editor;
    control_ = control;
    label_->setBuddy(editor);
    arrange();
}

int FieldRow::labelWidth() const { return label_->text().isEmpty() ? 0 : label_->sizeHint().width(); }

void FieldRow::setLabelWidth(int width) {
    labelColumn_ = width;
    arrange();
}

void FieldRow::arrange() {
    if (editor_ == nullptr) return;
    const int room = labelColumn_ == 0 ? width() : width() - labelColumn_ - labelGap;
    label_->setVisible(!label_->text().isEmpty());
    const int needed = control_ != nullptr ? control_->textWidth() : editor_->sizeHint().width();
    const bool stacked = labelColumn_ > 0 && needed > room;
    const bool wideMessage = stacked || room < messageColumn;
    const int wanted = (stacked ? 1 : 0) + (wideMessage ? 2 : 0) + 4 * labelColumn_;
    if (wanted == arrangement_) return;
    arrangement_ = wanted;
    for (QWidget* part : {static_cast<QWidget*>(label_), editor_, static_cast<QWidget*>(problems_)}) grid_->removeWidget(part);
    grid_->setColumnMinimumWidth(0, stacked ? 0 : labelColumn_);
    grid_->setColumnStretch(1, 1);
    label_->setMinimumHeight(stacked ? 0 : 26);
    if (stacked || labelColumn_ == 0) {
        grid_->addWidget(label_, 0, 0, 1, 2);
        grid_->addWidget(editor_, 1, 0, 1, 2);
    } else {
        grid_->addWidget(label_, 0, 0, Qt::AlignTop);
        grid_->addWidget(editor_, 0, 1);
    }
    grid_->addWidget(problems_, 2, wideMessage ? 0 : 1, 1, wideMessage ? 2 : 1);
}

/// What the label and editor side by side need must not keep a form wide that is made narrower: below each other they need less.
QSize FieldRow::minimumSizeHint() const {
    const QSize own = QWidget::minimumSizeHint();
    const int editor = editor_ != nullptr ? editor_->minimumSizeHint().width() : 0;
    return {std::min(own.width(), std::max(label_->minimumSizeHint().width(), editor)), own.height()};
}

void FieldRow::contextMenuEvent(QContextMenuEvent* event) {
    QWidget* under = childAt(event->pos());
    while (under && under != this && under->actions().isEmpty()) under = under->parentWidget();
    if ((!under || under == this) && control_) {
        under = control_->widget();
        for (QWidget* part : under->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            if (under->actions().isEmpty()) under = part;
    }
    if (under && !under->actions().isEmpty()) QMenu::exec(under->actions(), event->globalPos());
    else event->ignore();
}

void FieldRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace orrery
