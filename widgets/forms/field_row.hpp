// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/forms/field_control.hpp"

#include <QWidget>

class QGridLayout;
class QLabel;

namespace orrery {

class FieldProblems;
class Theme;

/// Label, editor and what is wrong with it. The editor stands beside its label, or below it where the column is too
/// narrow for its text: nothing is ever cut.
class FieldRow : public QWidget {
    Q_OBJECT
public:
    FieldRow(const QString& label, const Theme& theme, QWidget* parent = nullptr);

    void setEditor(QWidget* editor, FieldControl* control); ///< `control` null: a plain widget, such as a row of check boxes
    QWidget* editor() { return editor_; }
    FieldProblems& problems() { return *problems_; }

    int labelWidth() const;        ///< px that the label takes
    void setLabelWidth(int width); ///< the same for all rows, so that the fields line up
    void arrange();                ///< after the editor's text changed

protected:
    void resizeEvent(QResizeEvent* event) override;
    QSize minimumSizeHint() const override;
    void contextMenuEvent(QContextMenuEvent* event) override; ///< beside an editor it is the editor's

private:
    const Theme& theme_;
    QLabel* label_;
    QWidget* editor_ = nullptr;
    FieldControl* control_ = nullptr;
    FieldProblems* problems_;
    QGridLayout* grid_;
    int labelColumn_ = 0;
    int arrangement_ = -1; ///< what the grid holds now; -1: nothing yet
};

} // namespace orrery
