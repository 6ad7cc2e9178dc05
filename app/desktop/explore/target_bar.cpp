// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/target_bar.hpp"

#include "widgets/common/section.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>

namespace orrery {

TargetBar::TargetBar(QWidget* parent) : QWidget(parent), view_(new QComboBox), name_(new QLabel), edit_(new QLineEdit), readout_(new QLabel) {
    constexpr int targetWidth = 90, lineHeight = 26; // px
    view_->addItems({tr("Front"), tr("All keys and figures")});
    view_->setAccessibleName(tr("How the plans are shown"));
    view_->setMinimumHeight(lineHeight);
    edit_->setFixedWidth(targetWidth);
    edit_->setPlaceholderText(tr("no target"));
    edit_->setAccessibleName(tr("Target to read the plans at"));
    edit_->setToolTip(tr("Limits the plans to those that reach this, and chooses the best of them"));
    edit_->setObjectName(QStringLiteral("search_target"));
    readout_->setObjectName(QStringLiteral("search_readout"));
    readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    readout_->setWordWrap(true);
    // Long words never widen the window.
    readout_->setMinimumWidth(0);
    readout_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    for (QLabel* label : {name_, readout_}) setRole(*label, "secondary");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(view_);
    row->addSpacing(6);
    row->addWidget(name_);
    row->addWidget(edit_);
    row->addWidget(readout_, 1);
    connect(view_, qOverload<int>(&QComboBox::activated), this, &TargetBar::viewChanged);
    connect(edit_, &QLineEdit::textChanged, this, &TargetBar::targetChanged);
}

void TargetBar::setObjective(const Objective& second) {
    const std::string& pointer = second.measure.pointer;
    const QString name = second.measure.name == pointer ? figureName(pointer) : QString::fromStdString(second.measure.name);
    name_->setText(tr("Read at %1 %2").arg(name, second.maximise ? QStringLiteral("≥") : QStringLiteral("≤")));
    if (figure_ == pointer) return;
    figure_ = pointer;
    setTarget(std::nullopt);
}

std::optional<double> TargetBar::target() const { return figureFromText(edit_->text()); }

void TargetBar::setTarget(std::optional<double> target) {
    const QSignalBlocker quiet(edit_);
    edit_->setText(target ? figureWords(figure_, *target) : QString());
}

void TargetBar::setReadout(const QString& text) {
    readout_->setText(text);
    readout_->setToolTip(text);
}

} // namespace orrery
