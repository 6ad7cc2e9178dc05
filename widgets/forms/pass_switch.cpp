// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/pass_switch.hpp"

#include "core/base/json.hpp"
#include "widgets/common/own_markup.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/form_controls.hpp"

#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

namespace orrery {
namespace {

constexpr int nameGap = 8; ///< px between the pass's name and what it adds

/// In a list the box says what it switches, as in a group.
FieldSpec asListed(FieldSpec spec) {
    spec.group = QStringLiteral(" ");
    return spec;
}

} // namespace

PassSwitch::PassSwitch(const FieldSpec& spec, const Theme& theme, QWidget* parent)
    : QWidget(parent), spec_(spec), theme_(theme), box_(new ToggleBox(asListed(spec), theme, this)), brief_(new QLabel(this)) {
    setFocusProxy(box_);
    brief_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    brief_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setRole(*brief_, "secondary");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(nameGap);
    row->addWidget(box_);
    row->addWidget(brief_, 1);
    box_->edited = [this](const Json& value) {
        if (edited) edited(value);
    };
    const auto takeFont = [this] {
        brief_->setFont(theme_.secondaryFont());
        showNote();
    };
    connect(&theme_, &Theme::changed, this, takeFont);
    takeFont();
}

void PassSwitch::setNote(const PassNote& note) {
    note_ = note;
    showNote();
}

void PassSwitch::show(const FieldState& state) {
    box_->show(state);
    showNote();
}

void PassSwitch::showNote() {
    const QFontMetrics metrics(brief_->font());
    brief_->setText(metrics.elidedText(note_.brief, Qt::ElideRight, std::max(0, brief_->width())));
    const QString tip = note_.detail.isEmpty() ? spec_.tooltip : ownMarkup(note_.detail);
    brief_->setToolTip(tip);
    box_->setToolTip(tip);
    box_->setAccessibleDescription(spec_.tooltip + QLatin1Char(' ') + note_.brief);
}

void PassSwitch::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showNote();
}

} // namespace orrery
