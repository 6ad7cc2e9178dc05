// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/title_edit.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QFocusEvent>
#include <QKeyEvent>

#include <algorithm>

namespace orrery {
namespace {

constexpr int sides = 16; ///< px of frame and padding beside the text
constexpr int narrowest = 90;
constexpr int widest = 420;

} // namespace

TitleEdit::TitleEdit(const Theme& theme, QWidget* parent) : QLineEdit(parent), theme_(theme) {
    setRole(*this, "title");
    setPlaceholderText(tr("Untitled"));
    setAccessibleName(tr("Title of the scenario"));
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    const auto takeFont = [this] {
        setFont(theme_.titleFont());
        updateGeometry();
        showTitle();
    };
    takeFont();
    connect(&theme_, &Theme::changed, this, takeFont);
    connect(this, &QLineEdit::returnPressed, this, [this] {
        take();
        clearFocus();
    });
}

void TitleEdit::setTitle(const QString& title) {
    if (title == title_) return;
    title_ = title;
    updateGeometry();
    if (!hasFocus()) showTitle();
}

QSize TitleEdit::sizeHint() const {
    const int text = fontMetrics().horizontalAdvance(title_.isEmpty() ? placeholderText() : title_);
    return {std::clamp(text + sides + 8, narrowest, widest), QLineEdit::sizeHint().height()};
}

QSize TitleEdit::minimumSizeHint() const { return {narrowest, QLineEdit::sizeHint().height()}; }

void TitleEdit::showTitle() {
    setText(fontMetrics().elidedText(title_, Qt::ElideRight, std::max(0, width() - sides)));
    setCursorPosition(0);
    setToolTip(title_.isEmpty() ? tr("Click to give the scenario a title") : tr("%1\nClick to change the title").arg(title_));
}

void TitleEdit::take() {
    const QString typed = text().trimmed();
    if (!isModified() || typed == title_) return;
    title_ = typed;
    setModified(false);
    updateGeometry();
    emit renamed(typed);
}

void TitleEdit::focusInEvent(QFocusEvent* event) {
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) setText(title_);
    QLineEdit::focusInEvent(event);
}

void TitleEdit::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason) return; // its own context menu
    take();
    showTitle();
    deselect();
}

void TitleEdit::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        setText(title_);
        setModified(false);
        clearFocus();
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void TitleEdit::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    if (!hasFocus()) showTitle();
}

} // namespace orrery
