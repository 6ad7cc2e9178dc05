// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/key_edit.hpp"

#include "widgets/common/place_words.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QAbstractItemModel>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {

KeyEdit::KeyEdit(const Theme& theme, const QString& label, const QString& valuesHint, QAbstractItemModel& keys, QWidget* parent)
    : QWidget(parent), theme_(theme), label_(new QLabel(label)), key_(new QLineEdit), values_(new QLineEdit), count_(new QLabel), remove_(new QToolButton), problem_(new QLabel) {
    key_->setPlaceholderText(tr("/parallelism/tensor"));
    key_->setAccessibleName(label.isEmpty() ? tr("Key") : label);
    key_->setToolTip(tr("A key of the scenario as a JSON pointer; part of its name finds it"));
    auto* completer = new QCompleter(&keys, key_);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    key_->setCompleter(completer);
    values_->setPlaceholderText(valuesHint);
    values_->setAccessibleName(tr("Values"));
    values_->setToolTip(tr("A list 1,2,4; a range 1..8; with a step 1..8:2; evenly in the logarithm log:1..64:7"));
    remove_->setText(QStringLiteral("×"));
    remove_->setToolTip(tr("Vary this key no longer"));
    remove_->setAccessibleName(remove_->toolTip());
    remove_->setAutoRaise(true);
    problem_->setWordWrap(true);
    setRole(*problem_, "error");
    setRole(*label_, "secondary");
    setRole(*count_, "secondary");
    for (QLineEdit* line : {key_, values_}) line->setMinimumHeight(26);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(label_);
    row->addWidget(key_, 4);
    row->addWidget(values_, label.isEmpty() ? 3 : 5);
    row->addWidget(count_);
    row->addWidget(remove_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    column->addLayout(row);
    column->addWidget(problem_);
    problem_->hide();
    remove_->hide();
    label_->setVisible(!label.isEmpty());
    count_->hide();
    connect(key_, &QLineEdit::textChanged, this, &KeyEdit::describe);
    connect(key_, &QLineEdit::textChanged, this, &KeyEdit::changed);
    connect(values_, &QLineEdit::textChanged, this, &KeyEdit::changed);
    connect(values_, &QLineEdit::returnPressed, this, &KeyEdit::entered);
    connect(remove_, &QToolButton::clicked, this, &KeyEdit::removeRequested);
    connect(&theme_, &Theme::changed, this, &KeyEdit::applyTheme);
    applyTheme();
}

void KeyEdit::applyTheme() {
    for (QLabel* label : {label_, count_, problem_}) label->setFont(theme_.secondaryFont());
}

void KeyEdit::describe() {
    const QString words = placeWords(key().toStdString());
    key_->setToolTip(words.isEmpty() ? tr("A key of the scenario as a JSON pointer; part of its name finds it") : words);
}

QString KeyEdit::key() const { return key_->text().trimmed(); }
QString KeyEdit::values() const { return values_->text().trimmed(); }

void KeyEdit::set(const QString& key, const QString& values) {
    key_->setText(key);
    values_->setText(values);
    key_->end(false); // where there is little room, the key's last step is what tells it
    values_->setCursorPosition(0);
}

void KeyEdit::setProblem(const QString& sentence) {
    problem_->setText(sentence);
    problem_->setVisible(!sentence.isEmpty());
}

QString KeyEdit::problem() const { return problem_->text(); }

void KeyEdit::setCount(const QString& text) {
    count_->setText(text);
    count_->setVisible(!text.isEmpty());
}

void KeyEdit::setRemovable(bool removable) { remove_->setVisible(removable); }

} // namespace orrery
