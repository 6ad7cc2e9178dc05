#include "app/desktop/title_row.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

namespace orrery {

TitleRow::TitleRow(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(theme), name_(new QLabel(this)), modified_(new QLabel(this)), description_(new QLabel(this)),
      pill_(new StatusPill(theme, this)) {
    setRole(*this, "panel");
    setFixedHeight(40);
    name_->setObjectName("scenario_name");
    modified_->setText(QStringLiteral("●"));
    modified_->setToolTip(tr("Not saved yet"));
    modified_->setObjectName("modified_dot");
    setRole(*modified_, "warning");
    modified_->hide();
    setRole(*description_, "secondary");
    description_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 0, 12, 0);
    layout->setSpacing(8);
    layout->addWidget(name_);
    layout->addWidget(modified_);
    layout->addWidget(description_, 1);
    layout->addWidget(pill_);
    takeFonts();
    connect(&theme_, &Theme::changed, this, &TitleRow::takeFonts);
}

void TitleRow::setTitle(const QString& fileName, const QString& toolTip) {
    name_->setText(fileName);
    name_->setToolTip(toolTip);
}

void TitleRow::setModified(bool modified) { modified_->setVisible(modified); }

void TitleRow::setDescription(const QString& text) {
    descriptionText_ = text;
    description_->setToolTip(text);
    elide();
}

void TitleRow::takeFonts() {
    name_->setFont(theme_.titleFont());
    modified_->setFont(theme_.secondaryFont());
    description_->setFont(theme_.bodyFont());
    elide();
}

void TitleRow::elide() {
    const QFontMetrics metrics = description_->fontMetrics();
    description_->setText(metrics.elidedText(descriptionText_, Qt::ElideRight, std::max(0, description_->width() - 2)));
}

void TitleRow::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    layout()->activate();
    elide();
}

} // namespace orrery
