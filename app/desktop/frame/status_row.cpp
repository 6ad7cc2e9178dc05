// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/status_row.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace orrery {

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
