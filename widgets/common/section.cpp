// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/section.hpp"

#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStyle>
#include <QVariant>

namespace orrery {

Hairline::Hairline(QWidget* parent) : QFrame(parent) {
    setFrameShape(QFrame::NoFrame);
    setFixedHeight(1);
    setRole(*this, "hairline");
}

Section::Section(const QString& title, const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), title_(new QLabel(title, this)), body_(new QWidget(this)), secondary_(new QLabel(this)),
      content_(new QVBoxLayout(body_)) {
    auto* header = new QHBoxLayout;
    header->setSpacing(8);
    header->addWidget(title_);
    header->addWidget(secondary_, 1);
    secondary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    secondary_->setWordWrap(true);
    setRole(*secondary_, "secondary");

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 12);
    column->setSpacing(6);
    column->addLayout(header);
    content_->setContentsMargins(0, 0, 0, 0);
    content_->setSpacing(5);
    column->addWidget(body_);

    takeFonts();
    connect(&theme_, &Theme::changed, this, &Section::takeFonts);
}

void Section::setSecondary(const QString& text) {
    if (secondary_->text() != text) secondary_->setText(text);
}

QString Section::secondary() const { return secondary_->text(); }

void Section::setFoldable() {
    if (fold_) return;
    fold_ = new QPushButton(this);
    fold_->setFocusPolicy(Qt::TabFocus);
    fold_->setCursor(Qt::PointingHandCursor);
    fold_->setObjectName(QStringLiteral("fold ") + title_->text());
    setRole(*fold_, "heading");
    auto* header = static_cast<QHBoxLayout*>(layout()->itemAt(0)->layout());
    header->insertWidget(0, fold_);
    title_->hide();
    setTabOrder(fold_, body_);
    connect(fold_, &QPushButton::clicked, this, [this] {
        setFolded(!folded_);
        emit foldedByHand(folded_);
    });
    takeFonts();
    showFold();
}

void Section::setFolded(bool folded) {
    if (folded == folded_ || !fold_) return;
    folded_ = folded;
    body_->setVisible(!folded);
    layout()->setContentsMargins(12, 8, 12, folded ? 6 : 12);
    showFold();
}

void Section::showFold() {
    fold_->setText(title_->text() + (folded_ ? QStringLiteral(" ▸") : QStringLiteral(" ▾")));
    fold_->setAccessibleName(title_->text());
    fold_->setAccessibleDescription(folded_ ? tr("Folded") : tr("Unfolded"));
    fold_->setToolTip(folded_ ? tr("Show the fields of this part") : tr("Show only the title of this part"));
}

void Section::takeFonts() {
    title_->setFont(theme_.titleFont());
    if (fold_) fold_->setFont(theme_.titleFont());
    secondary_->setFont(theme_.secondaryFont());
}

void setRole(QWidget& widget, const char* role) { setStyleProperty(widget, "role", QByteArray(role)); }

void setStyleProperty(QWidget& widget, const char* name, const QVariant& value) {
    if (widget.property(name) == value) return;
    widget.setProperty(name, value);
    // Polishing by hand before Qt does makes a style sheet forget the font that is set afterwards, and matches every rule twice.
    if (!widget.testAttribute(Qt::WA_WState_Polished)) return;
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

} // namespace orrery
