// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/status_row.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int pillHeight = 26;
constexpr int sideMargin = 11;
constexpr int dot = 8;
constexpr int gap = 6;

} // namespace

StatusPill::StatusPill(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    set(State::idle, tr("Nothing simulated yet"));
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void StatusPill::setUpToDate(double milliseconds, bool fits) {
    const QString time = milliseconds < 1000 ? tr("%1 ms").arg(std::max(1, static_cast<int>(std::lround(milliseconds))))
                                             : tr("%1 s").arg(milliseconds / 1000, 0, 'f', 1);
    if (fits) {
        set(State::up_to_date, tr("Up to date · %1").arg(time));
    } else {
        set(State::does_not_fit, tr("Doesn't fit · %1").arg(time));
    }
}

void StatusPill::setSimulating(std::optional<double> fraction) {
    set(State::simulating, fraction ? tr("Simulating %1 %").arg(static_cast<int>(std::lround(*fraction * 100))) : tr("Simulating"),
        fraction.value_or(0));
}

void StatusPill::setProblems(int count) { set(State::problem, count > 1 ? tr("%n problem(s)", nullptr, count) : tr("Problem")); }

void StatusPill::setCancelled() { set(State::cancelled, tr("Cancelled")); }

void StatusPill::setRecorded() { set(State::idle, tr("Recorded ranks")); }

void StatusPill::setHeld() { set(State::idle, tr("Waits for your answer")); }

void StatusPill::set(State state, const QString& text, double fraction) {
    const bool resized = text != text_;
    state_ = state;
    text_ = text;
    fraction_ = fraction;
    setToolTip(state == State::simulating ? tr("Click to cancel")
               : state == State::problem  ? tr("Click to see what is wrong")
                                          : tr("Click to simulate again"));
    setAccessibleName(text);
    if (resized) updateGeometry();
    update();
}

QSize StatusPill::sizeHint() const {
    const QFontMetrics metrics(theme_.bodyFont());
    return {2 * sideMargin + dot + gap + metrics.horizontalAdvance(text_) + 2, pillHeight};
}

QColor StatusPill::tone() const {
    const ThemeColors& colors = theme_.colors();
    switch (state_) {
    case State::up_to_date: return colors.good;
    case State::simulating: return colors.accent;
    case State::problem:
    case State::does_not_fit: return colors.error;
    case State::cancelled: return colors.warning;
    case State::idle: break;
    }
    return colors.secondary;
}

void StatusPill::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = tone();
    QColor fill = ink;
    fill.setAlphaF(0.13f);
    const QRectF area(rect());
    QPainterPath outline;
    outline.addRoundedRect(area, area.height() / 2, area.height() / 2);
    painter.fillPath(outline, fill);
    if (fraction_ > 0) {
        painter.setClipPath(outline);
        fill.setAlphaF(0.22f);
        painter.fillRect(QRectF(0, 0, area.width() * std::min(fraction_, 1.0), area.height()), fill);
        painter.setClipping(false);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme_.colors().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), area.height() / 2, area.height() / 2);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawEllipse(QRectF(sideMargin, (area.height() - dot) / 2, dot, dot));
    painter.setPen(ink);
    painter.setFont(theme_.bodyFont());
    painter.drawText(area.adjusted(sideMargin + dot + gap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text_);
}

void StatusPill::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) emit clicked();
}

void StatusPill::keyPressEvent(QKeyEvent* event) {
    const bool click = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
    if (!click) return QWidget::keyPressEvent(event);
    event->accept();
    emit clicked();
}

void StatusPill::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void StatusPill::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

StatusRow::StatusRow(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(theme), problems_(new QToolButton(this)), assumed_(new QToolButton(this)), chosen_(new QToolButton(this)), sources_(new QLabel(this)),
      hint_(new QLabel(this)) {
    setRole(*this, "panel");
    setFixedHeight(28);
    for (QToolButton* button : {problems_, assumed_, chosen_}) {
        button->setAutoRaise(true);
        button->setCheckable(button != chosen_);
        button->setFocusPolicy(Qt::TabFocus);
        button->setCursor(Qt::PointingHandCursor);
    }
    problems_->setObjectName("problems_button");
    problems_->setToolTip(tr("Show what is wrong and what would mend it"));
    assumed_->setObjectName("assumed_button");
    assumed_->setToolTip(tr("Show the values that the scenario leaves out"));
    chosen_->setObjectName("chosen_button");
    chosen_->setToolTip(tr("Everything else is dimmed. Shows all again (Esc)"));
    chosen_->hide();
    connect(chosen_, &QToolButton::clicked, this, &StatusRow::everythingRequested);
    for (QLabel* label : {sources_, hint_}) {
        setRole(*label, "secondary");
        label->setTextFormat(Qt::PlainText); // names that users give may look like anything
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    hint_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    hint_->setObjectName("hint");
    hint_->hide();

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 14, 0);
    layout->setSpacing(10);
    layout->addWidget(problems_);
    layout->addWidget(assumed_);
    layout->addWidget(chosen_);
    layout->addWidget(sources_, 1);
    layout->addWidget(hint_, 1);
    takeFonts();
    setProblems(0, 0);
    setAssumed(0);
    connect(&theme_, &Theme::changed, this, &StatusRow::takeFonts);
}

void StatusRow::setProblems(int errors, int warnings) {
    errors_ = errors;
    warnings_ = warnings;
    showProblems();
}

void StatusRow::setFits(bool fits) {
    fits_ = fits;
    showProblems();
}

void StatusRow::showProblems() {
    QStringList parts;
    // While it can't run at all the picture is an older one's: whether that fitted is beside the point.
    const bool tooLarge = !fits_ && errors_ == 0;
    if (tooLarge) parts << tr("Doesn't fit");
    const int errors = errors_, warnings = warnings_;
    if (errors > 0) parts << tr("%n problem(s)", nullptr, errors);
    if (warnings > 0) parts << tr("%n warning(s)", nullptr, warnings);
    // A sign beside the colour: colour is never the only one.
    problems_->setText(parts.isEmpty() ? tr("✓ No problems") : QStringLiteral("⚠ ") + parts.join(QStringLiteral(" · ")));
    const ThemeColors& colors = theme_.colors();
    const QColor ink = errors > 0 || tooLarge ? colors.error : warnings > 0 ? colors.warning
                                                                            : colors.good;
    problems_->setStyleSheet(QStringLiteral("color: %1;").arg(ink.name()));
}

void StatusRow::setAssumed(int count) {
    assumed_->setText(tr("%n value(s) assumed", nullptr, count));
    assumed_->setStyleSheet(QStringLiteral("color: %1;").arg(theme_.colors().secondary.name()));
}

void StatusRow::setSources(const QString& text) {
    sourcesText_ = text;
    sources_->setToolTip(text);
    elide();
}

void StatusRow::setHint(const QString& text) {
    hintText_ = text;
    hint_->setToolTip(text);
    hint_->setVisible(!text.isEmpty()); // while nothing is under the mouse, its half of the row is the sources'
    layout()->activate();
    elide();
}

void StatusRow::setChosen(const QString& text) {
    chosen_->setText(text.isEmpty() ? QString() : tr("%1 · Esc shows all").arg(text));
    chosen_->setVisible(!text.isEmpty());
    chosen_->setStyleSheet(QStringLiteral("color: %1;").arg(theme_.colors().accent.name()));
    layout()->activate();
    elide();
}

void StatusRow::takeFonts() {
    for (QWidget* part : {static_cast<QWidget*>(problems_), static_cast<QWidget*>(assumed_), static_cast<QWidget*>(chosen_), static_cast<QWidget*>(sources_),
                          static_cast<QWidget*>(hint_)}) {
        part->setFont(theme_.secondaryFont());
    }
    showProblems();
    assumed_->setStyleSheet(QStringLiteral("color: %1;").arg(theme_.colors().secondary.name()));
    elide();
}

void StatusRow::elide() {
    const QFontMetrics metrics = sources_->fontMetrics();
    sources_->setText(metrics.elidedText(sourcesText_, Qt::ElideRight, std::max(0, sources_->width() - 2)));
    hint_->setText(metrics.elidedText(hintText_, Qt::ElideLeft, std::max(0, hint_->width() - 2)));
}

void StatusRow::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    layout()->activate();
    elide();
}

} // namespace orrery
