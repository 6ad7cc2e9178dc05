// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lessons/lesson_words.hpp"

#include "core/base/json.hpp"

#include <QCoreApplication>

#include <cmath>

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

} // namespace orrery
