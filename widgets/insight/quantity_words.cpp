// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/quantity_words.hpp"

#include <QCoreApplication>

#include <array>
#include <utility>

namespace orrery {
namespace {

struct NameAndWords {
    const char* name;
    const char* words;
};
constexpr std::array<NameAndWords, 10> namesAndWords{{
    {"tensor_exposed", QT_TRANSLATE_NOOP("orrery::QuantityWords", "waits for the tensor group")},
    {"context_exposed", QT_TRANSLATE_NOOP("orrery::QuantityWords", "waits for the context group")},
    {"expert_exposed", QT_TRANSLATE_NOOP("orrery::QuantityWords", "waits for the expert group")},
    {"pipeline_exposed", QT_TRANSLATE_NOOP("orrery::QuantityWords", "waits for other stages")},
    {"data_exposed", QT_TRANSLATE_NOOP("orrery::QuantityWords", "waits for gradients and parameters")},
    {"bubble_fraction", QT_TRANSLATE_NOOP("orrery::QuantityWords", "bubble")},
    {"mfu", QT_TRANSLATE_NOOP("orrery::QuantityWords", "model FLOP utilisation")},
    {"hfu", QT_TRANSLATE_NOOP("orrery::QuantityWords", "hardware FLOP utilisation")},
    {"mfu_causal", QT_TRANSLATE_NOOP("orrery::QuantityWords", "model FLOP utilisation, causal")},
    {"bubble_over_ideal", QT_TRANSLATE_NOOP("orrery::QuantityWords", "bubble beside the ideal one")},
}};

/// Other names with the unit at their end taken off, which stands behind the number: "iteration time" of "iteration_time_s".
QString wordsOf(const std::string& name) {
    for (const NameAndWords& one : namesAndWords)
        if (name == one.name) return QCoreApplication::translate("orrery::QuantityWords", one.words);
    QString words = QString::fromStdString(name);
    if (!words.contains(u'_')) return words;
    for (const char* unit : {"_s", "_us", "_bytes"}) {
        const QLatin1String ending(unit);
        if (!words.endsWith(ending) || words.endsWith(QStringLiteral("_per") + ending)) continue;
        words.chop(ending.size());
        break;
    }
    return words.replace(u'_', u' ');
}

} // namespace

Quantity inWords(Quantity quantity) {
    quantity.name = wordsOf(quantity.name).toStdString();
    for (Quantity& input : quantity.inputs) input = inWords(std::move(input));
    return quantity;
}

} // namespace orrery
