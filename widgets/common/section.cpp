#include "widgets/common/section.hpp"

#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QStyle>
#include <QVariant>

namespace orrery {

Hairline::Hairline(QWidget* parent) : QFrame(parent) {
    setFrameShape(QFrame::NoFrame);
    setFixedHeight(1);
    setRole(*this, "hairline");
}

Section::Section(const QString& title, const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), title_(new QLabel(title, this)), secondary_(new QLabel(this)), content_(new QVBoxLayout) {
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
    content_->setSpacing(5);
    column->addLayout(content_);

    takeFonts();
    connect(&theme_, &Theme::changed, this, &Section::takeFonts);
}

void Section::setSecondary(const QString& text) {
    if (secondary_->text() != text) secondary_->setText(text);
}

QString Section::secondary() const { return secondary_->text(); }

void Section::takeFonts() {
    title_->setFont(theme_.titleFont());
    secondary_->setFont(theme_.secondaryFont());
}

void setRole(QWidget& widget, const char* role) {
    if (widget.property("role").toByteArray() == role) return;
    widget.setProperty("role", QByteArray(role));
    // Polishing by hand before Qt does makes a style sheet forget the font that is set afterwards.
    if (!widget.testAttribute(Qt::WA_WState_Polished)) return;
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

} // namespace orrery
