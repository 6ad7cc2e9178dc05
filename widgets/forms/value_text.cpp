// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/value_text.hpp"

#include "core/base/json.hpp"
#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

struct ValueText {
    Q_DECLARE_TR_FUNCTIONS(ValueText)
};

/// Without grouping: separators of the locale, spaces of any width, apostrophes and underscores between digits.
QString ungrouped(QString text) {
    static const QRegularExpression spaces(QStringLiteral("[\\s\\x{2009}\\x{202f}\\x{00a0}'’_]"));
    text.remove(spaces);
    const QString separator = QLocale().groupSeparator();
    const QString point = QLocale().decimalPoint();
    // In the C locale and in English a comma groups; where a comma is the decimal point, the locale's own separator does.
    if (point == QLatin1String(",")) return text.remove(separator == QLatin1String(",") ? QString() : separator).replace(QLatin1Char(','), QLatin1Char('.'));
    return text.remove(QLatin1Char(','));
}

double suffixFactor(QString& text) {
    if (text.isEmpty()) return 1;
    const QChar last = text.back();
    const double factor = last == QLatin1Char('k') || last == QLatin1Char('K')   ? 1e3
                          : last == QLatin1Char('M')                             ? 1e6
                          : last == QLatin1Char('B') || last == QLatin1Char('G') ? 1e9
                          : last == QLatin1Char('T')                             ? 1e12
                                                                                 : 1;
    if (factor != 1) text.chop(1);
    return factor;
}

ParsedValue parseInteger(const QString& text) {
    QString digits = ungrouped(text);
    if (digits.isEmpty()) return {};
    const double factor = suffixFactor(digits);
    bool whole = false;
    const qlonglong exact = digits.toLongLong(&whole);
    if (whole && factor == 1) return {Json(static_cast<std::int64_t>(exact)), {}};
    bool number = false;
    const double value = digits.toDouble(&number) * factor;
    if (number && std::isfinite(value) && value == std::floor(value) && std::abs(value) < 9e15)
        return {Json(static_cast<std::int64_t>(value)), {}};
    return {std::nullopt, ValueText::tr("“%1” is not a whole number.").arg(text.trimmed())};
}

ParsedValue parseNumber(const QString& text) {
    QString digits = ungrouped(text);
    if (digits.startsWith(QLatin1Char('$'))) digits.remove(0, 1);
    if (digits.isEmpty()) return {};
    const double factor = suffixFactor(digits);
    bool number = false;
    const double value = digits.toDouble(&number) * factor;
    if (!number || !std::isfinite(value)) return {std::nullopt, ValueText::tr("“%1” is not a number.").arg(text.trimmed())};
    if (value == std::floor(value) && std::abs(value) < 9e15) return {Json(static_cast<std::int64_t>(value)), {}};
    return {Json(value), {}};
}

/// GB/s; Gb/s are an eighth. Without a unit it is the field's own.
ParsedValue parseRate(const QString& text) {
    struct Unit {
        const char* word;
        double gigabytes;
    };
    static constexpr Unit units[] = {{"GB/s", 1}, {"Gb/s", 0.125}, {"Gbit/s", 0.125}, {"Gbps", 0.125}, {"GBps", 1}, {"TB/s", 1000}, {"Tb/s", 125}, {"MB/s", 1e-3}, {"Mb/s", 1.25e-4}};
    QString digits = text.trimmed();
    double factor = 1;
    for (const Unit& unit : units) {
        const QLatin1String word(unit.word);
        if (!digits.endsWith(word)) continue;
        digits.chop(word.size());
        factor = unit.gigabytes;
        break;
    }
    ParsedValue number = parseNumber(digits);
    if (!number.error.isEmpty()) return {std::nullopt, ValueText::tr("“%1” is not a rate such as 50 GB/s or 400 Gb/s.").arg(text.trimmed())};
    if (!number.value || factor == 1) return number;
    const double value = number.value->get<double>() * factor;
    if (value == std::floor(value)) return {Json(static_cast<std::int64_t>(value)), {}};
    return {Json(value), {}};
}

ParsedValue parseList(const QString& text) {
    static const QRegularExpression between(QStringLiteral("[,;\\s\\x{2009}\\x{00a0}]+"));
    const QStringList parts = text.split(between, Qt::SkipEmptyParts);
    if (parts.isEmpty()) return {};
    Json list = Json::array();
    for (const QString& part : parts) {
        bool whole = false;
        const int value = part.toInt(&whole);
        if (!whole) return {std::nullopt, ValueText::tr("“%1” is not a list of whole numbers such as 39, 41.").arg(text.trimmed())};
        list.push_back(value);
    }
    return {list, {}};
}

/// By spaces or semicolons: a comma may be the decimal point.
ParsedValue parseNumbers(const QString& text) {
    static const QRegularExpression between(QStringLiteral("[;\\s\\x{2009}\\x{00a0}]+|,(?=\\s)"));
    Json list = Json::array();
    for (const QString& part : text.split(between, Qt::SkipEmptyParts)) {
        const ParsedValue one = parseNumber(part);
        if (!one.value) return {std::nullopt, ValueText::tr("“%1” is not a list of numbers such as 4 2 1.").arg(text.trimmed())};
        list.push_back(*one.value);
    }
    return list.empty() ? ParsedValue{} : ParsedValue{list, {}};
}

/// The shortest text that reads back as the same number.
QString decimalText(double value) {
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest).replace(QLatin1Char('.'), QLocale().decimalPoint());
}

} // namespace

ParsedValue parseValue(FieldKind kind, const QString& text) {
    switch (kind) {
    case FieldKind::integer: return parseInteger(text);
    case FieldKind::number: return parseNumber(text);
    case FieldKind::data_rate: return parseRate(text);
    case FieldKind::integer_list: return parseList(text);
    case FieldKind::number_list: return parseNumbers(text);
    case FieldKind::text: {
        const QString trimmed = text.trimmed();
        return trimmed.isEmpty() ? ParsedValue{} : ParsedValue{Json(trimmed.toStdString()), {}};
    }
    default: return {};
    }
}

QString valueText(FieldKind kind, const Json& value) {
    if (value.is_null()) return {};
    const auto raw = [&] { return QString::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace)); };
    if (kind == FieldKind::text && value.is_string()) return QString::fromStdString(value.get<std::string>());
    if (kind == FieldKind::integer_list) {
        if (!value.is_array()) return raw();
        QStringList parts;
        for (const Json& item : value) {
            if (!item.is_number_integer()) return raw();
            parts.append(QString::number(item.get<qlonglong>()));
        }
        return parts.join(QStringLiteral(", "));
    }
    if (kind == FieldKind::number_list) {
        if (!value.is_array()) return raw();
        QStringList parts;
        for (const Json& item : value) {
            if (!item.is_number()) return raw();
            parts.append(decimalText(item.get<double>()));
        }
        return parts.join(QLatin1Char(' '));
    }
    if (value.is_number_integer()) {
        const double number = value.get<double>();
        if (std::abs(number) >= 9e15) return raw(); // beyond a double's whole numbers
        if (kind == FieldKind::number && std::abs(number) >= 1e9) {
            // 15,000,000,000,000 is not readable and not short; 15 T is both, where it loses nothing.
            const bool trillions = std::abs(number) >= 1e12;
            const QString digits = decimalText(number / (trillions ? 1e12 : 1e9));
            if (digits.size() <= 6) return digits + QChar(0x2009) + (trillions ? QLatin1Char('T') : QLatin1Char('B'));
        }
        return grouped(number);
    }
    if (value.is_number_float() && (kind == FieldKind::number || kind == FieldKind::data_rate)) {
        return decimalText(value.get<double>());
    }
    return raw();
}

std::int64_t steppedValue(FieldStep step, std::int64_t value, int direction, std::int64_t batch) {
    constexpr std::int64_t top = std::numeric_limits<std::int32_t>::max();
    value = std::clamp<std::int64_t>(value, 0, top);
    if (step == FieldStep::one) return std::clamp<std::int64_t>(value + direction, 1, top);
    if (step == FieldStep::batch && batch > 0) {
        const std::int64_t multiple = direction > 0 ? value / batch + 1 : (value - 1) / batch;
        return std::clamp(multiple * batch, batch, top);
    }
    std::int64_t power = 1;
    if (direction > 0) {
        while (power <= value) power *= 2;
    } else {
        while (power * 2 < value) power *= 2;
    }
    return std::min(power, top);
}

} // namespace orrery
