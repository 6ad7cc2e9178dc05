// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "widgets/forms/field_control.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QWidget>
#include <vector>

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

/// One entry of a choice, or a heading between them.
struct ChoiceEntry {
    Json value = {};
    QString text = {};
    QString tooltip = {};
    bool enabled = true;
    bool heading = false;
    bool byKey = false; ///< an object of one key that stands for every object with that key
    bool stands(const Json& given) const;
};

/// A choice from a list. Optional fields begin with "default", which removes the key; an assumed value stands in
/// secondary ink until one is chosen. A value that the list does not know is shown as it is.
class ChoiceBox : public QComboBox, public FieldControl {
    Q_OBJECT
public:
    ChoiceBox(FieldSpec spec, std::vector<ChoiceEntry> entries, const Theme& theme, QWidget* parent = nullptr);

    QWidget* widget() override { return this; }
    void show(const FieldState& state) override;
    using QComboBox::show;

    QString shownText() const { return shown_; }
    int textWidth() const override;
    std::function<QString(const Json&)> describeUnknown; ///< words for a value that the list does not know
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void showPopup() override;

private:
    void fill();
    const NotApplicable* idleChoice(const ChoiceEntry& entry) const;
    QString textOf(const Json& value) const;
    QString absentText() const { return spec_.absent.isEmpty() ? tr("default") : spec_.absent; }
    QString unknownText(const Json& value) const;

    FieldSpec spec_;
    std::vector<ChoiceEntry> entries_;
    const Theme& theme_;
    FieldState state_;
    QString shown_;
};

} // namespace orrery

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
