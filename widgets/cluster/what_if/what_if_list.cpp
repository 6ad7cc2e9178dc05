// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace orrery {

WhatIfDialog::WhatIfDialog(const QString& title, const QString& what, QWidget* parent) : QDialog(parent), form_(new QFormLayout) {
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(12);
    auto* text = new QLabel(what, this);
    text->setWordWrap(true);
    text->setMinimumWidth(300);
    setRole(*text, "secondary");
    column->addWidget(text);
    form_->setSpacing(6);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(form_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
}

QDoubleSpinBox* WhatIfDialog::addNumber(const QString& name, const QString& label, const QString& unit, const Range& range) {
    auto* box = new QDoubleSpinBox(this);
    box->setObjectName(name);
    box->setDecimals(range.decimals);
    box->setRange(range.least, range.most);
    box->setSingleStep(range.decimals == 0 ? 1 : range.most > 100 ? 10
                                                                  : 0.1);
    box->setValue(range.start);
    if (!unit.isEmpty()) box->setSuffix(QChar(0x2009) + unit);
    form_->addRow(label, box);
    return box;
}

QComboBox* WhatIfDialog::addChoice(const QString& name, const QString& label, const QStringList& choices, int current) {
    auto* box = new QComboBox(this);
    box->setObjectName(name);
    box->addItems(choices);
    box->setCurrentIndex(current);
    form_->addRow(label, box);
    return box;
}

QLineEdit* WhatIfDialog::addText(const QString& name, const QString& label, const QString& start) {
    auto* line = new QLineEdit(start, this);
    line->setObjectName(name);
    form_->addRow(label, line);
    return line;
}

namespace {

constexpr int mostShown = 6;    ///< lines; of more the rest is counted
constexpr int widestText = 230; ///< px

} // namespace

WhatIfList::WhatIfList(const Theme& theme, QWidget* parent) : QFrame(parent), theme_(theme), column_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("what_ifs"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("What-ifs"));
    column_->setContentsMargins(8, 3, 4, 4);
    column_->setSpacing(0);
    connect(&theme_, &Theme::changed, this, &WhatIfList::build);
    build();
}

void WhatIfList::setTexts(const QStringList& texts) {
    if (texts == texts_) return;
    texts_ = texts;
    build();
}

void WhatIfList::setOpen(bool open) {
    if (open == open_) return;
    open_ = open;
    build();
}

void WhatIfList::build() {
    while (QLayoutItem* item = column_->takeAt(0)) {
        // Later: a line may be the one whose cross led here.
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    setVisible(!texts_.isEmpty());
    if (texts_.isEmpty()) return;
    const ThemeColors& colours = theme_.colors();
    setStyleSheet(QStringLiteral("QFrame#what_ifs { background: %1; border: 1px solid %2; border-radius: 6px; }").arg(colours.panel.name(), colours.line.name()));
    const auto row = [this] {
        auto* line = new QWidget(this);
        auto* box = new QHBoxLayout(line);
        box->setContentsMargins(0, 0, 0, 0);
        box->setSpacing(4);
        column_->addWidget(line);
        line->show();
        return box;
    };
    const auto button = [this](QHBoxLayout* box, const QString& text, const QString& tip, const QFont& font) {
        auto* tool = new QToolButton(this);
        tool->setAutoRaise(true);
        tool->setFont(font);
        tool->setStyleSheet(QStringLiteral("QToolButton { padding: 1px 4px; }")); // lines of a list, not buttons of a bar
        tool->setText(QFontMetrics(font).elidedText(text, Qt::ElideMiddle, widestText));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        box->addWidget(tool);
        tool->show(); // at once: what a layout adds would otherwise appear with the next event only
        return tool;
    };
    QHBoxLayout* head = row();
    const QString title = texts_.size() == 1 ? tr("1 what-if") : tr("%1 what-ifs").arg(texts_.size());
    QToolButton* fold = button(head, title + (open_ ? QStringLiteral(" ▴") : QStringLiteral(" ▾")),
                               open_ ? tr("Fold the list of what-ifs") : tr("List the what-ifs"), theme_.secondaryFont());
    connect(fold, &QToolButton::clicked, this, [this] { setOpen(!open_); });
    head->addStretch(1);
    connect(button(head, tr("Restore all"), tr("Restore everything"), theme_.secondaryFont()), &QToolButton::clicked, this, &WhatIfList::allRemoved);
    const int shown = open_ ? std::min(mostShown, static_cast<int>(texts_.size())) : 0;
    for (int i = 0; i < shown; ++i) {
        QHBoxLayout* line = row();
        connect(button(line, texts_[i], texts_[i] + QLatin1Char('\n') + tr("Click to show it on the drawing"), theme_.secondaryFont()), &QToolButton::clicked,
                this, [this, i] { emit chosen(i); });
        line->addStretch(1);
        connect(button(line, QStringLiteral("×"), tr("Take back: %1").arg(texts_[i]), theme_.secondaryFont()), &QToolButton::clicked, this,
                [this, i] { emit removed(i); });
    }
    if (open_ && texts_.size() > shown) {
        QToolButton* rest = button(row(), tr("and %1 more").arg(texts_.size() - shown), texts_.mid(shown, 20).join(QLatin1Char('\n')), theme_.secondaryFont());
        rest->setEnabled(false);
    }
    column_->activate();
    resize(sizeHint());
    emit resized();
}

} // namespace orrery
