// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/key_edit.hpp"

#include "widgets/common/place_words.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/form_keys.hpp"

#include <QAbstractItemModel>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {

KeyEdit::KeyEdit(const Theme& theme, const QString& label, const QString& valuesHint, QAbstractItemModel& keys, QWidget* parent)
    : QWidget(parent), theme_(theme), label_(new QLabel(label)), key_(new QLineEdit), values_(new QLineEdit), count_(new QLabel), remove_(new QToolButton), problem_(new QLabel) {
    key_->setPlaceholderText(tr("a field of the form"));
    key_->setAccessibleName(label.isEmpty() ? tr("Key") : label);
    key_->setToolTip(tr("A field of the form by its name, part of which finds it; or a JSON pointer"));
    QStringList names;
    for (int row = 0; row < keys.rowCount(); ++row) {
        const QString pointer = keys.index(row, 0).data().toString(), name = formKeyName(pointer.toStdString());
        names << (name.isEmpty() ? pointer : name);
    }
    const auto completing = [this](QCompleter* completer) {
        completer->setFilterMode(Qt::MatchContains);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        return completer;
    };
    QCompleter* byName = completing(new QCompleter(names, this));
    QCompleter* byPointer = completing(new QCompleter(&keys, this));
    key_->setCompleter(byName);
    connect(key_, &QLineEdit::textEdited, this, [this, byName, byPointer](const QString& text) {
        QCompleter* wanted = text.startsWith(u'/') ? byPointer : byName;
        if (key_->completer() != wanted) key_->setCompleter(wanted);
    });
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
    const QString pointer = key(), words = placeWords(pointer.toStdString());
    key_->setToolTip(words.isEmpty() || !pointer.startsWith(u'/') ? tr("A field of the form by its name, part of which finds it; or a JSON pointer") : words + u'\n' + pointer);
}

QString KeyEdit::key() const {
    const QString pointer = pointerOfKey(key_->text());
    return pointer.isEmpty() ? key_->text().trimmed() : pointer;
}

QString KeyEdit::values() const {
    QString text = values_->text().trimmed();
    if (!key().endsWith(QStringLiteral("_gb_s"))) return text;
    const bool bits = text.endsWith(QStringLiteral("Gb/s")) || text.endsWith(QStringLiteral("Gbps"));
    if (!bits && !text.endsWith(QStringLiteral("GB/s"))) return text;
    text.chop(4);
    text = text.trimmed();
    if (!bits) return text;
    // The last number of a logarithmic range counts values.
    qsizetype from = 0, end = text.size();
    if (text.startsWith(QStringLiteral("log:"))) {
        from = 4;
        if (const qsizetype count = text.indexOf(u':', from); count > 0) end = count;
    }
    static const QRegularExpression number(QStringLiteral("\\d+(\\.\\d+)?"));
    const QString rates = text.mid(from, end - from);
    QString converted = text.left(from);
    qsizetype done = 0;
    for (auto each = number.globalMatch(rates); each.hasNext();) {
        const QRegularExpressionMatch one = each.next();
        converted += rates.mid(done, one.capturedStart() - done) + QString::number(one.captured().toDouble() / 8, 'g', 12);
        done = one.capturedEnd();
    }
    return converted + rates.mid(done) + text.mid(end);
}

void KeyEdit::set(const QString& key, const QString& values) {
    const QString name = formKeyName(key.toStdString());
    key_->setText(name.isEmpty() ? key : name);
    values_->setText(values);
    if (name.isEmpty()) key_->end(false); // where there is little room, a pointer's last step is what tells it
    else key_->setCursorPosition(0);
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
