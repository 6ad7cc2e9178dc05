// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/forms/field_control.hpp"

#include <QLineEdit>
#include <QTimer>

class QToolButton;

namespace orrery {

class Theme;

/// A number (or list of numbers) with its unit inside and, for counts that go by steps, − and + at its end.
///
/// What is typed is sent after a pause of 250 ms, or at once on Enter, on leaving and by steppers and arrow keys.
/// `show` leaves the text alone while it means what the document says, so that typing is never disturbed by its own echo.
class ValueEdit : public QLineEdit, public FieldControl {
    Q_OBJECT
public:
    static constexpr int pauseMs = 250;

    ValueEdit(FieldSpec spec, const Theme& theme, QWidget* parent = nullptr);

    QWidget* widget() override { return this; }
    void show(const FieldState& state) override;
    void setBatchMultiple(std::int64_t multiple) override { batchMultiple_ = multiple; }
    using QLineEdit::show;

    QString assumedText() const { return assumedText_; } ///< what an empty field stands for
    int textWidth() const override;                      ///< without the unit, which gives way to a long number
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void step(int direction);
    void textTyped();
    void commit(bool leaving);
    void send(const Json& value);
    void showDocument();
    QString unitShown() const; ///< "tokens", or "assumed" when the value is
    int stepperWidth() const;
    void placeChildren();
    std::optional<std::int64_t> currentNumber() const;

    FieldSpec spec_;
    const Theme& theme_;
    FieldState state_;
    QString assumedText_;
    bool typing_ = false; ///< the text is the user's and was not sent yet
    QTimer pause_;
    QToolButton* fewer_ = nullptr;
    QToolButton* more_ = nullptr;
    std::int64_t batchMultiple_ = 0;
};

} // namespace orrery
