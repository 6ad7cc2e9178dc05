// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/forms/field_control.hpp"

#include <QWidget>

#include <vector>

class QCheckBox;

namespace orrery {

class Theme;

/// Any number of a few choices, written as the list of those that are on. The last one that is on stays: an empty list says
/// nothing.
class CheckList : public QWidget, public FieldControl {
    Q_OBJECT
public:
    CheckList(FieldSpec spec, const Theme& theme, QWidget* parent = nullptr);

    QWidget* widget() override { return this; }
    void show(const FieldState& state) override;
    int textWidth() const override { return sizeHint().width(); }
    using QWidget::show;

    QSize sizeHint() const override;

private:
    void write();

    FieldSpec spec_;
    const Theme& theme_;
    FieldState state_;
    std::vector<QCheckBox*> boxes_; ///< in the choices' order
};

} // namespace orrery
