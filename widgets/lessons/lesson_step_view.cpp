// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lessons/lesson_step_view.hpp"
#include "core/base/json.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/field_table.hpp"

#include <QButtonGroup>
#include <QCoreApplication>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace orrery {
namespace {

struct LessonText {
    Q_DECLARE_TR_FUNCTIONS(LessonText)
};

constexpr int digits = 4; ///< more than anybody predicts

} // namespace

QString answerText(const Json& answer) {
    if (answer.is_string()) return QString::fromStdString(answer.get<std::string>());
    if (answer.is_number()) return QString::number(answer.get<double>(), 'g', 10);
    return QString::fromStdString(answer.dump());
}

QString valueText(const LessonValue& value) {
    if (const double* number = std::get_if<double>(&value)) {
        const bool whole = *number == std::floor(*number) && std::abs(*number) < 1e12;
        return whole ? QString::number(*number, 'f', 0) : QString::number(*number, 'g', digits);
    }
    if (const std::string* text = std::get_if<std::string>(&value)) return QString::fromStdString(*text);
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? LessonText::tr("yes") : LessonText::tr("no");
    return {};
}

std::optional<LessonValue> measuredValue(const StepVerdict& verdict) {
    for (const JudgedClause& clause : verdict.clauses)
        if (clause.left == "answer" && !std::holds_alternative<std::monostate>(clause.expected)) return clause.expected;
    return std::nullopt;
}

QString outcomeText(const StepAnswer& answer, const std::optional<LessonValue>& measured) {
    if (!answer.answer) return {};
    const QString said = answerText(**answer.answer), found = measured ? valueText(*measured) : QString();
    const bool changed = answer.first && **answer.first != **answer.answer;
    if (changed) {
        const QString first = answerText(**answer.first);
        return found.isEmpty() ? LessonText::tr("You said %1 first, then %2.").arg(first, said) : LessonText::tr("You said %1 first, then %2; it is %3.").arg(first, said, found);
    }
    return found.isEmpty() || found == said ? LessonText::tr("You said %1.").arg(said) : LessonText::tr("You said %1; it is %2.").arg(said, found);
}

std::optional<double> typedNumber(const QString& text) {
    QString plain = text.trimmed();
    if (plain.endsWith(QLatin1Char('%'))) plain = plain.chopped(1).trimmed();
    plain.remove(QChar(0x2009)).remove(QLatin1Char(' '));
    plain.replace(QChar(0x2212), QLatin1Char('-'));
    // "1,024" groups its digits; "27,3" is a decimal comma.
    const qsizetype comma = plain.indexOf(QLatin1Char(','));
    if (comma >= 0 && !plain.contains(QLatin1Char('.')) && plain.count(QLatin1Char(',')) == 1 && plain.size() - comma != 4) plain[comma] = QLatin1Char('.');
    else plain.remove(QLatin1Char(','));
    bool isNumber = false;
    const double number = plain.toDouble(&isNumber);
    return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

namespace {

/// What the form calls a key; the key itself where the form has no field for it.
QString fieldName(const std::string& pointer) {
    const std::vector<FieldSpec> fields = scenarioFields();
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldSpec& field) { return pointer == field.pointer; });
    if (found == fields.end()) return QString::fromStdString(pointer);
    return found->group.trimmed().isEmpty() ? found->label : QStringLiteral("%1: %2").arg(found->group.trimmed(), found->label);
}

/// Why the scenario of the learner does not run: an end like others.
QString refusedText(const Problems& problems) {
    if (problems.empty()) return {};
    return QString::fromStdString(problems.front().message) + QLatin1Char(' ') + QString::fromStdString(problems.front().mend);
}

} // namespace

const StepAnswer* LessonShown::said(std::size_t index) const {
    const auto found = sheet.steps.find(static_cast<int>(index) + 1);
    return found == sheet.steps.end() ? nullptr : &found->second;
}

bool LessonShown::isAnswered() const {
    const StepAnswer* answer = said(step);
    return present().ask.empty() || (answer && answer->answer);
}

LessonStepView::LessonStepView(const Theme& theme, const LessonShown& shown, QWidget* parent) : QWidget(parent), theme_(theme), step_(shown.present()), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(7);
    auto* title = new QLabel(tr("%1 %2").arg(shown.step + 1).arg(QString::fromStdString(step_.title)), this);
    title->setFont(theme_.titleFont());
    title->setWordWrap(true);
    column_->addWidget(title);
    addText(QString::fromStdString(step_.say), false, "lesson_say");
    if (!step_.show.empty()) addText(tr("Look at: %1.").arg(QString::fromStdString(step_.show)), true);
    addQuestion(shown);
    addButton(shown);
    const ThemeColors& colors = theme_.colors();
    if (shown.verdict && !shown.verdict->passed && !shown.isJudging) {
        const QString refused = refusedText(shown.verdict->refused), hint = QString::fromStdString(shown.verdict->hint);
        addBox(tr("Not yet."), refused.isEmpty() ? hint : hint.isEmpty() ? refused
                                                                         : hint + QLatin1Char(' ') + refused,
               colors.warning, {}, "lesson_hint");
    }
    if (shown.hasPassed() && !shown.isJudging) {
        const StepAnswer* answer = shown.said(shown.step);
        const QString outcome = answer ? outcomeText(*answer, measuredValue(*shown.verdict)) : QString();
        addBox(tr("Measured."), (outcome.isEmpty() ? QString() : outcome + QLatin1Char(' ')) + QString::fromStdString(step_.after), colors.good, QString::fromStdString(step_.source), "lesson_after");
    }
    addTouch(shown);
}

void LessonStepView::addText(const QString& text, bool secondary, const char* name) {
    auto* label = new QLabel(text, this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setFont(secondary ? theme_.secondaryFont() : theme_.bodyFont());
    if (secondary) setRole(*label, "secondary");
    if (name) label->setObjectName(QString::fromLatin1(name));
    column_->addWidget(label);
}

void LessonStepView::addQuestion(const LessonShown& shown) {
    if (step_.ask.empty()) return;
    addText(QString::fromStdString(step_.ask), false, "lesson_ask");
    const StepAnswer* said = shown.said(shown.step);
    const QString before = said && said->answer ? answerText(**said->answer) : QString();
    if (step_.choices.empty()) {
        number_ = new QLineEdit(before, this);
        number_->setObjectName(QStringLiteral("lesson_number"));
        number_->setAccessibleName(tr("Your answer: %1").arg(QString::fromStdString(step_.ask)));
        number_->setPlaceholderText(tr("a number"));
        number_->setFont(theme_.bodyFont());
        connect(number_, &QLineEdit::textChanged, this, &LessonStepView::showReady);
        connect(number_, &QLineEdit::returnPressed, this, &LessonStepView::submit);
        column_->addWidget(number_);
        return;
    }
    choices_ = new QButtonGroup(this);
    for (int i = 0; i < static_cast<int>(step_.choices.size()); ++i) {
        const QString text = QString::fromStdString(step_.choices[static_cast<std::size_t>(i)]);
        auto* choice = new QRadioButton(QString(text).replace(u'&', QStringLiteral("&&")), this);
        choice->setObjectName(QStringLiteral("lesson_choice_%1").arg(i));
        choice->setFont(theme_.bodyFont());
        choice->setChecked(text == before);
        choices_->addButton(choice, i);
        column_->addWidget(choice);
    }
    connect(choices_, &QButtonGroup::idClicked, this, &LessonStepView::showReady);
}

void LessonStepView::addButton(const LessonShown& shown) {
    button_ = new QPushButton(this);
    button_->setObjectName(QStringLiteral("lesson_check"));
    button_->setFont(theme_.bodyFont());
    button_->setDefault(true);
    if (shown.isJudging) button_->setText(tr("Checking…"));
    else if (!shown.isAnswered()) button_->setText(tr("Lock my answer and run"));
    else button_->setText(shown.hasPassed() ? tr("Check again") : tr("Check"));
    connect(button_, &QPushButton::clicked, this, &LessonStepView::submit);
    auto* row = new QHBoxLayout;
    row->addWidget(button_);
    if (!shown.isAnswered()) {
        auto* note = new QLabel(tr("nothing runs before"), this);
        note->setFont(theme_.secondaryFont());
        setRole(*note, "secondary");
        row->addWidget(note);
    }
    row->addStretch(1);
    column_->addLayout(row);
    button_->setProperty("judging", shown.isJudging);
    showReady();
}

void LessonStepView::addBox(const QString& heading, const QString& text, const QColor& color, const QString& source, const char* name) {
    auto* frame = new QFrame(this);
    frame->setObjectName(QString::fromLatin1(name));
    QColor ground = color;
    ground.setAlpha(26);
    frame->setStyleSheet(QStringLiteral("QFrame#%1 { background: rgba(%2,%3,%4,%5); border: none; border-left: 3px solid %6; }")
                             .arg(QString::fromLatin1(name))
                             .arg(ground.red())
                             .arg(ground.green())
                             .arg(ground.blue())
                             .arg(ground.alpha())
                             .arg(color.name()));
    auto* box = new QVBoxLayout(frame);
    box->setContentsMargins(10, 7, 10, 7);
    box->setSpacing(4);
    auto* words = new QLabel(QStringLiteral("<b>%1</b> %2").arg(heading.toHtmlEscaped(), text.toHtmlEscaped()), frame);
    words->setWordWrap(true);
    words->setTextFormat(Qt::RichText);
    words->setFont(theme_.bodyFont());
    words->setObjectName(QString::fromLatin1(name) + QStringLiteral("_text"));
    box->addWidget(words);
    if (!source.isEmpty()) {
        auto* from = new QLabel(source, frame);
        from->setTextFormat(Qt::PlainText);
        from->setWordWrap(true);
        from->setFont(theme_.secondaryFont());
        setRole(*from, "secondary");
        box->addWidget(from);
    }
    column_->addWidget(frame);
}

void LessonStepView::addTouch(const LessonShown& shown) {
    auto* title = new QLabel(tr("What you may touch here"), this);
    title->setFont(theme_.titleFont());
    title->setContentsMargins(0, 6, 0, 0);
    column_->addWidget(title);
    if (step_.let.empty()) return addText(tr("Nothing: look, and answer."), true);
    if (!shown.isAnswered()) return addText(tr("After your answer: %1.").arg([this] {
        QStringList names;
        for (const std::string& pointer : step_.let) names << fieldName(pointer);
        return names.join(QStringLiteral(", "));
    }()),
                                            true);
    for (const std::string& pointer : step_.let) {
        auto* link = new QPushButton(fieldName(pointer).replace(u'&', QStringLiteral("&&")), this);
        link->setObjectName(QStringLiteral("lesson_field.") + QString::fromStdString(pointer));
        link->setToolTip(tr("Shows the field in the form."));
        link->setFont(theme_.bodyFont());
        link->setCursor(Qt::PointingHandCursor);
        setRole(*link, "heading");
        connect(link, &QPushButton::clicked, this, [this, pointer] { emit fieldAsked(QString::fromStdString(pointer)); });
        column_->addWidget(link, 0, Qt::AlignLeft);
    }
}

void LessonStepView::showReady() {
    if (!button_) return;
    const bool said = step_.ask.empty() || (number_ && typedNumber(number_->text())) || (choices_ && choices_->checkedId() >= 0);
    button_->setEnabled(said && !button_->property("judging").toBool());
}

void LessonStepView::submit() {
    if (!button_->isEnabled()) return;
    if (number_) {
        const std::optional<double> number = typedNumber(number_->text());
        if (!number) return;
        // Lessons have hints by answer, "4" among them: a whole number is written as one.
        const bool whole = *number == std::floor(*number) && std::abs(*number) < 1e15;
        emit answered(BoxedJson(whole ? Json(static_cast<std::int64_t>(*number)) : Json(*number)));
    } else if (choices_) {
        emit answered(BoxedJson(Json(step_.choices[static_cast<std::size_t>(choices_->checkedId())])));
    } else {
        emit checkAsked();
    }
}

} // namespace orrery
