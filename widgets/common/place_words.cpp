// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/place_words.hpp"

#include "widgets/common/key_words.hpp"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace orrery {
namespace {

struct PlaceWord {
    std::string_view key;
    const char* word;
};

/// Keys that a replaced underscore does not make a word; the others speak for themselves.
constexpr PlaceWord placeTable[] = {
    {"cuda_graphs", QT_TRANSLATE_NOOP("orrery::PlaceWords", "CUDA graphs")},
    {"zero_stage", QT_TRANSLATE_NOOP("orrery::PlaceWords", "ZeRO stage")},
    {"fp8_recipe", QT_TRANSLATE_NOOP("orrery::PlaceWords", "FP8 scales")},
    {"lora_rank", QT_TRANSLATE_NOOP("orrery::PlaceWords", "LoRA rank")},
    {"moe_dispatch", QT_TRANSLATE_NOOP("orrery::PlaceWords", "expert dispatch")},
    {"moe_dispatcher", QT_TRANSLATE_NOOP("orrery::PlaceWords", "expert dispatcher")},
    {"nic", QT_TRANSLATE_NOOP("orrery::PlaceWords", "NIC")},
    {"gemm_rate_of_peak", QT_TRANSLATE_NOOP("orrery::PlaceWords", "GEMM rate of peak")},
    {"peak_dense", QT_TRANSLATE_NOOP("orrery::PlaceWords", "dense peak")},
    {"memory_gb_per_s", QT_TRANSLATE_NOOP("orrery::PlaceWords", "memory bandwidth")},
    {"iteration_overhead_s", QT_TRANSLATE_NOOP("orrery::PlaceWords", "iteration overhead")},
    {"kv_cache", QT_TRANSLATE_NOOP("orrery::PlaceWords", "KV cache")},
};

/// A unit at the end of a key is for whoever writes the file.
constexpr std::string_view unitEndings[] = {"_gb_s", "_us", "_bytes", "_w", "_tflops"};

/// Entries of a list are called by what one of them is.
constexpr PlaceWord entryTable[] = {
    {"nodes", QT_TRANSLATE_NOOP("orrery::PlaceWords", "node %1")},
    {"links", QT_TRANSLATE_NOOP("orrery::PlaceWords", "link %1")},
    {"traffic", QT_TRANSLATE_NOOP("orrery::PlaceWords", "traffic %1")},
    {"degraded_links", QT_TRANSLATE_NOOP("orrery::PlaceWords", "degraded link %1")},
    {"stragglers", QT_TRANSLATE_NOOP("orrery::PlaceWords", "straggler %1")},
};

const PlaceWord* findWord(const PlaceWord* begin, const PlaceWord* end, const std::string& key) {
    const auto found = std::find_if(begin, end, [&key](const PlaceWord& one) { return one.key == key; });
    return found == end ? nullptr : found;
}

QString wordOf(std::string key) {
    if (const PlaceWord* known = findWord(std::begin(placeTable), std::end(placeTable), key))
        return QCoreApplication::translate("orrery::PlaceWords", known->word);
    for (const std::string_view unit : unitEndings) {
        if (key.size() <= unit.size() || !key.ends_with(unit)) continue;
        key.resize(key.size() - unit.size());
        break;
    }
    return keyWords(QString::fromStdString(key).replace(u'_', u' '));
}

} // namespace

QString placeWords(const std::string& pointer) {
    QStringList words;
    std::string before;
    for (std::size_t at = 0; at < pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
        std::string key = pointer.substr(at + 1, end - at - 1);
        at = end;
        const bool isNumber = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
        const PlaceWord* entry = isNumber ? findWord(std::begin(entryTable), std::end(entryTable), before) : nullptr;
        if (entry) words.back() = QCoreApplication::translate("orrery::PlaceWords", entry->word).arg(QString::fromStdString(key));
        else words << wordOf(key);
        before = std::move(key);
    }
    return words.join(QStringLiteral(" › "));
}

std::string inWords(const std::string& sentence, const std::string& pointer) {
    QString said = QString::fromStdString(sentence);
    for (const QString& key : QString::fromStdString(pointer).split(u'/', Qt::SkipEmptyParts)) {
        if (!key.contains(u'_')) continue;
        const QRegularExpression whole(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(key)));
        said.replace(whole, wordOf(key.toStdString()));
    }
    if (said.toStdString() != sentence) said[0] = said[0].toUpper(); // a key may have begun the sentence
    return said.toStdString();
}

} // namespace orrery
