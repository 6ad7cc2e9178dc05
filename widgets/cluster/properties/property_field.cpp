// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/properties/property_field.hpp"

#include "core/base/json.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStyle>
#include <QVBoxLayout>

#include <cmath>

namespace orrery {
namespace {

struct FieldText {
    Q_DECLARE_TR_FUNCTIONS(PropertyField)
};

constexpr int labelWidth = 106;

QString plain(double value) { return QLocale(QLocale::C).toString(value, 'g', 12); }

/// The number alone; a comma groups thousands ("1,024") or, alone with other than three digits behind it, is the decimal sign.
std::optional<double> typedNumber(QString text) {
    text = text.trimmed();
    static const QRegularExpression grouping("^[+-]?\\d{1,3}(,\\d{3})+(\\.\\d+)?$");
    if (grouping.match(text).hasMatch()) text.remove(',');
    else text.replace(',', '.');
    text.remove(QChar(0x2009)).remove(QChar(0x202f)).remove(' ');
    bool ok = false;
    const double value = QLocale(QLocale::C).toDouble(text, &ok);
    return ok && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace

TypedValue readWhole(const QString& text, int least, int most) {
    if (text.trimmed().isEmpty()) return Json();
    const std::optional<double> value = typedNumber(text);
    if (value && *value == std::round(*value) && *value >= least && *value <= most) return Json(static_cast<int>(*value));
    return FieldText::tr("A whole number from %1 to %2.").arg(grouped(least), grouped(most));
}

TypedValue readNumber(const QString& text, double least, double most, bool zeroAllowed) {
    if (text.trimmed().isEmpty()) return Json();
    const std::optional<double> value = typedNumber(text);
    if (value && *value >= least && *value <= most && (zeroAllowed || *value > 0)) return jsonNumber(*value);
    return zeroAllowed || least > 0 ? FieldText::tr("A number from %1 to %2.").arg(plain(least), grouped(most))
                                    : FieldText::tr("A number above 0, up to %1.").arg(grouped(most));
}

TypedValue readBandwidth(const QString& text) {
    static const QRegularExpression withUnit("^(.*?)\\s*(GB/s|TB/s|Gb/s|Gbit/s|Gbps|Tb/s|Tbit/s|Tbps|MB/s)$");
    double factor = 1;
    QString number = text.trimmed();
    if (const auto match = withUnit.match(number); match.hasMatch()) {
        const QString unit = match.captured(2);
        if (unit == QLatin1String("TB/s")) factor = 1000;
        else if (unit == QLatin1String("MB/s")) factor = 1e-3;
        else if (unit.startsWith('G') && unit != QLatin1String("GB/s")) factor = 1.0 / 8;
        else if (unit.startsWith('T')) factor = 1000.0 / 8;
        number = match.captured(1);
        if (const std::optional<double> value = typedNumber(number)) number = plain(*value * factor);
    }
    return readNumber(number, 0, 1e6, false);
}

PropertyField::PropertyField(const QString& label, const QString& unit, const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    auto* name = new QLabel(label, this);
    name->setFixedWidth(labelWidth);
    setRole(*name, "secondary");
    edit_ = new QLineEdit(this);
    edit_->setAccessibleName(label);
    edit_->setMinimumWidth(72);
    edit_->installEventFilter(this);
    unit_ = new QLabel(unit, edit_);
    unit_->setAttribute(Qt::WA_TransparentForMouseEvents);
    setRole(*unit_, "off");
    combo_ = new QComboBox(this);
    combo_->setAccessibleName(label);
    combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo_->setMinimumContentsLength(8);
    combo_->hide();
    name->setBuddy(edit_);
    line->addWidget(name);
    line->addWidget(edit_, 1);
    line->addWidget(combo_, 1);
    column->addLayout(line);
    message_ = new QLabel(this);
    message_->setWordWrap(true);
    message_->setFont(theme_.secondaryFont());
    message_->hide();
    auto* below = new QHBoxLayout;
    below->setContentsMargins(labelWidth + 8, 0, 0, 0);
    below->addWidget(message_);
    column->addLayout(below);
    connect(edit_, &QLineEdit::editingFinished, this, &PropertyField::commit);
    connect(edit_, &QLineEdit::textEdited, this, [this](const QString& text) {
        const TypedValue typed = reader_ ? reader_(text) : TypedValue(Json(text.toStdString()));
        wrong_ = std::holds_alternative<QString>(typed) ? std::get<QString>(typed) : QString();
        showHint(text);
        showMessage();
    });
    connect(combo_, &QComboBox::activated, this, [this](int index) {
        const auto place = static_cast<std::size_t>(index - (static_cast<int>(combo_->count()) - static_cast<int>(choices_.size())));
        if (place < choices_.size()) emit valueChanged(choices_[place].value);
    });
}

void PropertyField::setChoices(const std::vector<Choice>& choices) {
    choices_ = choices;
    edit_->hide();
    combo_->show();
    // The names of what there is to choose are long: below their label they have the whole width.
    auto* column = static_cast<QVBoxLayout*>(layout());
    auto* line = static_cast<QHBoxLayout*>(column->itemAt(0)->layout());
    line->removeWidget(combo_);
    line->addStretch(1);
    column->insertWidget(1, combo_);
    const QSignalBlocker quiet(combo_);
    combo_->clear();
    for (const Choice& choice : choices_) combo_->addItem(choice.name);
}

void PropertyField::setValue(const std::optional<Json>& value) {
    if (!choices_.empty()) {
        const QSignalBlocker quiet(combo_);
        while (combo_->count() > static_cast<int>(choices_.size())) combo_->removeItem(0);
        for (std::size_t i = 0; i < choices_.size(); ++i)
            if (value && choices_[i].value == *value) {
                combo_->setToolTip(choices_[i].name);
                return combo_->setCurrentIndex(static_cast<int>(i));
            }
        // One that the catalogue does not know, or several: shown as it is, until another is chosen.
        QString text = tr("several");
        if (value && value->is_string()) text = QString::fromStdString(value->get<std::string>());
        else if (value && value->is_object()) text = QString::fromStdString(value->value("name", value->value("id", std::string("?"))));
        else if (value) text = tr("none");
        combo_->insertItem(0, text);
        combo_->setCurrentIndex(0);
        return;
    }
    QString text;
    if (value && value->is_string()) text = QString::fromStdString(value->get<std::string>());
    else if (value && value->is_number()) text = plain(value->get<double>());
    else if (value && !value->is_null()) text = QString::fromStdString(value->dump());
    if (!value) setPlaceholder(tr("several"));
    const bool typing = edit_->hasFocus() && edit_->isModified();
    shown_ = text;
    if (typing) return;
    wrong_.clear();
    edit_->setText(text);
    edit_->setModified(false);
    edit_->setCursorPosition(0);
    edit_->setToolTip(text);
    showHint(text);
    showMessage();
}

void PropertyField::setPlaceholder(const QString& text) {
    edit_->setPlaceholderText(text);
    showHint(edit_->text());
    showMessage();
}

void PropertyField::showHint(const QString& text) {
    if (!hint_) return;
    const TypedValue typed = reader_ ? reader_(text.isEmpty() ? edit_->placeholderText() : text) : TypedValue(Json());
    const Json* value = std::get_if<Json>(&typed);
    hintText_ = value && value->is_number() ? hint_(value->get<double>()) : QString();
}

void PropertyField::setProblem(const Problem* problem) {
    problem_ = problem ? QString::fromStdString(problem->message + (problem->mend.empty() ? "" : " " + problem->mend)) : QString();
    problemIsError_ = problem && problem->severity == Severity::error;
    showMessage();
}

bool PropertyField::hasError() const { return !wrong_.isEmpty(); }

void PropertyField::showMessage() {
    // One line below the field: what is wrong first, else what the number means.
    const bool wrong = !wrong_.isEmpty();
    const QString text = wrong ? wrong_ : !problem_.isEmpty() ? problem_
                                                              : hintText_;
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
    setRole(*message_, wrong || (!problem_.isEmpty() && problemIsError_) ? "error" : !problem_.isEmpty() ? "warning"
                                                                                                         : "secondary");
}

void PropertyField::commit() {
    const QString text = edit_->text();
    if (text == shown_) {
        edit_->setModified(false);
        return;
    }
    const TypedValue typed = reader_ ? reader_(text) : TypedValue(Json(text.toStdString()));
    if (const QString* why = std::get_if<QString>(&typed)) {
        wrong_ = *why;
        return showMessage();
    }
    wrong_.clear();
    edit_->setModified(false);
    shown_ = text; // a second editingFinished for the same text asks for nothing
    showMessage();
    emit valueChanged(std::get<Json>(typed));
}

bool PropertyField::eventFilter(QObject* watched, QEvent* event) {
    if (watched == edit_ && event->type() == QEvent::Resize) {
        unit_->adjustSize();
        unit_->move(edit_->width() - unit_->width() - 8, (edit_->height() - unit_->height()) / 2);
        edit_->setTextMargins(0, 0, unit_->text().isEmpty() ? 0 : unit_->width() + 6, 0);
    }
    if (watched == edit_ && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && edit_->isModified()) {
        wrong_.clear();
        edit_->setText(shown_);
        edit_->setModified(false);
        showHint(shown_);
        showMessage();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace orrery
