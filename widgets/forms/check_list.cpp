// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/check_list.hpp"

#include "core/base/json.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/flow_layout.hpp"

#include <QCheckBox>
#include <QSignalBlocker>

#include <algorithm>

namespace orrery {

CheckList::CheckList(FieldSpec spec, const Theme& theme, QWidget* parent) : QWidget(parent), spec_(std::move(spec)), theme_(theme) {
    describeField(*this, spec_);
    setLayout(new FlowLayout);
    layout()->setContentsMargins(0, 3, 0, 0);
    for (const FieldChoice& choice : spec_.choices) {
        auto* box = new QCheckBox(choice.text, this);
        box->setObjectName(objectName() + QLatin1Char(':') + QString::fromStdString(choice.value.get<std::string>()));
        box->setAccessibleName(tr("%1: %2").arg(spec_.label, choice.text));
        box->setMinimumHeight(20);
        layout()->addWidget(box);
        boxes_.push_back(box);
        connect(box, &QCheckBox::clicked, this, &CheckList::write);
    }
    if (!boxes_.empty()) setFocusProxy(boxes_.front());
    const auto takeFont = [this] {
        for (QCheckBox* box : boxes_) box->setFont(theme_.bodyFont());
    };
    connect(&theme_, &Theme::changed, this, takeFont);
    takeFont();
}

void CheckList::show(const FieldState& state) {
    state_ = state;
    const Json list = state.given && state.given->is_array() ? *state.given : Json::array();
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        const FieldChoice& choice = spec_.choices[i];
        const bool on = std::find(list.begin(), list.end(), choice.value) != list.end();
        const auto idle = std::find_if(state.idleChoices.begin(), state.idleChoices.end(), [&](const auto& one) { return one.first == choice.value; });
        const bool applies = idle == state.idleChoices.end();
        const QSignalBlocker quiet(boxes_[i]);
        boxes_[i]->setChecked(on);
        boxes_[i]->setEnabled((applies || on) && state.locked.isEmpty());
        boxes_[i]->setToolTip(applies ? choice.tooltip : choice.tooltip + u' ' + idle->second.reason);
    }
}

void CheckList::write() {
    Json list = Json::array();
    // What the list does not know stays: the problem beside it says what it is.
    if (state_.given && state_.given->is_array())
        for (const Json& value : *state_.given)
            if (std::none_of(spec_.choices.begin(), spec_.choices.end(), [&](const FieldChoice& choice) { return choice.value == value; })) list.push_back(value);
    for (std::size_t i = 0; i < boxes_.size(); ++i)
        if (boxes_[i]->isChecked()) list.push_back(spec_.choices[i].value);
    if (list.empty()) return show(FieldState(state_));
    if (edited) edited(list);
}

QSize CheckList::sizeHint() const {
    QSize size = layout()->minimumSize();
    return {size.width(), size.height()};
}

} // namespace orrery
