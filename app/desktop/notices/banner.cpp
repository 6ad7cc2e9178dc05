// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/notices/banner.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace orrery {

Banner::Banner(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(theme), message_(new QLabel(this)), mend_(new QLabel(this)), buttons_(new QHBoxLayout) {
    setObjectName("banner");
    message_->setObjectName("banner_message");
    message_->setWordWrap(true);
    mend_->setWordWrap(true);
    setRole(*mend_, "secondary");
    auto* words = new QVBoxLayout;
    words->setSpacing(1);
    words->addWidget(message_);
    words->addWidget(mend_);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 6, 12, 6);
    layout->setSpacing(12);
    layout->addLayout(words, 1);
    buttons_->setSpacing(6);
    layout->addLayout(buttons_);
    hide();
    connect(&theme_, &Theme::changed, this, &Banner::paint);
}

void Banner::showMessage(Tone tone, const QString& message, const QString& mend, std::vector<Choice> choices, bool closable) {
    tone_ = tone;
    const QString sign = tone == Tone::note ? QString() : QStringLiteral("⚠ ");
    message_->setText(sign + message);
    mend_->setText(mend);
    mend_->setVisible(!mend.isEmpty());
    while (QLayoutItem* item = buttons_->takeAt(0)) {
        // The click that led here may come from one of them.
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    if (closable) choices.push_back({tr("Dismiss"), [this] { dismiss(); }});
    for (const Choice& choice : choices) {
        auto* button = new QPushButton(choice.text, this);
        connect(button, &QPushButton::clicked, this, choice.run);
        buttons_->addWidget(button);
    }
    paint();
    show();
}

void Banner::dismiss() { hide(); }

QString Banner::message() const { return isHidden() ? QString() : message_->text(); }

void Banner::paint() {
    const ThemeColors& colors = theme_.colors();
    const QColor tone = tone_ == Tone::error ? colors.error : tone_ == Tone::warning ? colors.warning
                                                                                     : colors.accent;
    setStyleSheet(QStringLiteral("#banner { background: %1; border: 1px solid %3; border-left: 3px solid %2; }")
                      .arg(colors.field.name(), tone.name(), colors.line.name()));
    message_->setFont(theme_.bodyFont());
    mend_->setFont(theme_.secondaryFont());
}

} // namespace orrery
