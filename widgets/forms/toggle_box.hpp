// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/forms/field_control.hpp"

#include <QCheckBox>

namespace orrery {

class Theme;

/// On or off. Alone in a row it says which; among others (overlap, passes) it says what it switches.
class ToggleBox : public QCheckBox, public FieldControl {
    Q_OBJECT
public:
    ToggleBox(FieldSpec spec, const Theme& theme, QWidget* parent = nullptr);

    QWidget* widget() override { return this; }
    void show(const FieldState& state) override;
    int textWidth() const override { return sizeHint().width(); }
    using QCheckBox::show;

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void say();

    FieldSpec spec_;
    const Theme& theme_;
    FieldState state_;
};

} // namespace orrery
