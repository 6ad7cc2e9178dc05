// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/what_if/what_if_dialog.hpp"

#include "widgets/common/section.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

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

} // namespace orrery
