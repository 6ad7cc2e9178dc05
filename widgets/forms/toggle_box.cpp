// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/toggle_box.hpp"

#include "core/base/json.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QContextMenuEvent>
#include <QMenu>

namespace orrery {

ToggleBox::ToggleBox(FieldSpec spec, const Theme& theme, QWidget* parent) : QCheckBox(parent), spec_(std::move(spec)), theme_(theme) {
    describeField(*this, spec_);
    setFont(theme_.bodyFont());
    setMinimumHeight(spec_.group.isEmpty() ? 26 : 20);
    connect(this, &QCheckBox::clicked, this, [this](bool on) {
        say();
        if (edited) edited(on);
    });
    connect(&theme_, &Theme::changed, this, [this] { setFont(theme_.bodyFont()); });
    say();
}

void ToggleBox::show(const FieldState& state) {
    state_ = state;
    const std::optional<Json> value = state.given ? state.given : state.assumed;
    setChecked(value && value->is_boolean() && value->get<bool>());
    sayOfField(*this, fieldToolTip(spec_, state_, state.assumed && !state.idle ? (isChecked() ? tr("on") : tr("off")) : QString()), state.idle ? spec_.tooltip + u' ' + state.idle.reason : spec_.tooltip);
    setEnabled(state_.takesEdits());
    offerDefault(*this, spec_, *this, state_);
    say();
}

void ToggleBox::say() {
    const bool assumed = !state_.given;
    if (!spec_.group.isEmpty()) setText(spec_.label);
    else if (state_.isGreyed()) setText(tr("off · %1").arg(state_.idle.brief));
    else if (assumed && !state_.assumed) setText(tr("default"));
    else if (assumed) setText(isChecked() ? tr("on · assumed") : tr("off · assumed"));
    else setText(isChecked() ? tr("on") : tr("off"));
    // A pass is on unless switched off: that is no assumption worth marking.
    setRole(*this, assumed && spec_.section != FieldSection::passes ? "secondary" : "");
}

void ToggleBox::contextMenuEvent(QContextMenuEvent* event) {
    if (!actions().isEmpty()) QMenu::exec(actions(), event->globalPos());
}

} // namespace orrery
