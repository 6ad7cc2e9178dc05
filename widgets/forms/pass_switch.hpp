// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/forms/field_control.hpp"

#include <QWidget>

#include <string>

class QLabel;

namespace orrery {

class Theme;
class ToggleBox;

/// What a pass does to the plan at hand.
struct PassNote {
    std::string pass = {}; ///< "tensor"
    QString brief = {};    ///< "+8 −2", or why it does nothing: "one tensor rank"
    QString detail = {};   ///< the tooltip's text
};

/// A pass in the list of passes: its switch, and what it adds right of it.
class PassSwitch : public QWidget, public FieldControl {
    Q_OBJECT
public:
    PassSwitch(const FieldSpec& spec, const Theme& theme, QWidget* parent = nullptr);

    void setNote(const PassNote& note);
    QString noteText() const { return note_.brief; }

    QWidget* widget() override { return this; }
    void show(const FieldState& state) override;
    int textWidth() const override { return 0; }
    using QWidget::show;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showNote();

    FieldSpec spec_;
    const Theme& theme_;
    PassNote note_;
    ToggleBox* box_;
    QLabel* brief_;
};

} // namespace orrery
