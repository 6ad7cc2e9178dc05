// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/explore_words.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/key_words.hpp"
#include "widgets/explore/form_keys.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

struct ExploreText {
    Q_DECLARE_TR_FUNCTIONS(ExploreText)
};

enum class FigureKind { count,
                        time,
                        bytes,
                        share };

FigureKind kindOf(const std::string& pointer) {
    const std::vector<std::string> steps = pointerParts(pointer);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (step->ends_with("bytes")) return FigureKind::bytes;
        if (step->ends_with("per_s") || step->find("per_s_") != std::string::npos) return FigureKind::count;
        if (step->ends_with("_s")) return FigureKind::time;
        if (*step == "mfu" || *step == "hfu" || step->ends_with("_share") || step->ends_with("utilisation") || step->ends_with("utilization")) return FigureKind::share;
    }
    return FigureKind::count;
}

/// The key without its unit, with spaces; what is written in capitals everywhere stays so.
QString stepWords(const std::string& step) {
    static const std::array<std::string, 11> capitals{"mfu", "hfu", "ttft", "tpot", "kv", "slo", "nvlink", "e2e", "gemm", "cuda", "itl"};
    if (step == "micro_batch_size") return ExploreText::tr("micro-batch size");
    if (step == "kv_cache_dtype") return ExploreText::tr("KV cache precision");
    if (step == "zero_stage") return ExploreText::tr("ZeRO stage");
    QString text = QString::fromStdString(step);
    for (const QLatin1String unit : {QLatin1String("_bytes"), QLatin1String("_gb_s"), QLatin1String("_us")})
        if (text.endsWith(unit)) text.chop(unit.size());
    if (text.endsWith(QLatin1String("_s")) && !text.endsWith(QLatin1String("per_s"))) text.chop(2);
    text.replace(QLatin1String("_per_s"), QLatin1String("/s"));
    QStringList words = text.split(u'_', Qt::SkipEmptyParts);
    for (QString& word : words)
        if (std::find(capitals.begin(), capitals.end(), word.toLower().toStdString()) != capitals.end()) word = word.toUpper();
    return keyWords(words.join(u' '));
}

QString about(double value, const QString& unit) { return ExploreText::tr("about %1").arg(Readable{grouped(value, value < 10 && value != std::round(value) ? 1 : 0), unit}.text()); }

} // namespace

QString figureName(const std::string& pointer) {
    // Where the key says less than people do.
    static constexpr std::pair<const char*, const char*> known[] = {{"/memory/peak_bytes", QT_TRANSLATE_NOOP("ExploreText", "peak memory")},
                                                                    {"/model_tflops_per_accelerator", QT_TRANSLATE_NOOP("ExploreText", "model TFLOP/s per accelerator")},
                                                                    {"/bubble_fraction", QT_TRANSLATE_NOOP("ExploreText", "pipeline bubble")},
                                                                    {"/goodput_requests_per_s", QT_TRANSLATE_NOOP("ExploreText", "goodput, requests/s")},
                                                                    {"/cost_per_million_output_tokens", QT_TRANSLATE_NOOP("ExploreText", "$ per million output tokens")},
                                                                    {"/energy_j_per_output_token", QT_TRANSLATE_NOOP("ExploreText", "J per output token")}};
    for (const auto& [key, name] : known)
        if (pointer == key) return ExploreText::tr(name);
    QStringList words;
    const std::vector<std::string> steps = pointerParts(pointer);
    for (const std::string& step : steps) words << stepWords(step);
    // A distribution has a mean or percentiles.
    static const std::array<std::string_view, 5> ofDistribution{"mean", "p50", "p90", "p95", "p99"};
    if (steps.size() == 2 && std::find(ofDistribution.begin(), ofDistribution.end(), steps.back()) != ofDistribution.end()) return words.join(QStringLiteral(", "));
    return words.join(QStringLiteral(" › "));
}

QString figureInItsUnit(const std::string& pointer) {
    const QString name = figureName(pointer);
    switch (kindOf(pointer)) {
    case FigureKind::time: return ExploreText::tr("%1 in s").arg(name);
    case FigureKind::bytes: return ExploreText::tr("%1 in bytes").arg(name);
    default: return name;
    }
}

QString figureWords(const std::string& pointer, double value) {
    switch (kindOf(pointer)) {
    case FigureKind::time: return readableTime(value).text();
    case FigureKind::bytes: return readableBytes(value).text();
    case FigureKind::share: return readablePercent(value).text();
    case FigureKind::count: break;
    }
    const double size = std::abs(value);
    if (size >= 1000 || value == std::round(value)) return grouped(value);
    if (size >= 0.01) return grouped(value, size >= 100 ? 1 : size >= 10 ? 2
                                                                         : 3);
    return QString::number(value, 'g', 4);
}

QString figureWords(const std::string& pointer, const Json& value) {
    if (value.is_number()) return figureWords(pointer, value.get<double>());
    return value.is_null() ? QStringLiteral("–") : valueWords(value);
}

std::optional<double> figureFromText(const QString& text) {
    static const std::array<std::pair<const char*, double>, 14> units{{{"", 1}, {"%", 0.01}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}, {"GB", 1e9}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};
    const QString trimmed = text.trimmed();
    qsizetype end = trimmed.size();
    while (end > 0 && !trimmed[end - 1].isDigit() && trimmed[end - 1] != u'.') --end;
    bool isNumber = false;
    const double number = trimmed.left(end).remove(u',').toDouble(&isNumber);
    const QString unit = trimmed.mid(end).trimmed();
    if (!isNumber || !std::isfinite(number)) return std::nullopt;
    for (const auto& [name, factor] : units)
        if (unit == QString::fromUtf8(name)) return number * factor;
    return std::nullopt;
}

FigureScale figureScale(const std::string& pointer, double largest) {
    switch (kindOf(pointer)) {
    case FigureKind::time:
        if (largest >= 1) return {1, QStringLiteral("s")};
        return largest >= 1e-3 ? FigureScale{1e-3, QStringLiteral("ms")} : FigureScale{1e-6, QStringLiteral("µs")};
    case FigureKind::bytes: {
        constexpr double mebi = 1024.0 * 1024.0, gibi = 1024.0 * mebi;
        return largest >= gibi ? FigureScale{gibi, QStringLiteral("GiB")} : FigureScale{mebi, QStringLiteral("MiB")};
    }
    case FigureKind::share: return {0.01, QStringLiteral("%")};
    case FigureKind::count: break;
    }
    if (largest >= 1e10) return {1e9, ExploreText::tr("billion")};
    if (largest >= 1e7) return {1e6, ExploreText::tr("million")};
    return {};
}

QString tickText(double value, double step) {
    if (value == 0) return QStringLiteral("0");
    const int decimals = step > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9) : 0;
    return grouped(value, decimals);
}

bool lessIsBetter(const std::string& pointer) {
    const FigureKind kind = kindOf(pointer);
    if (kind == FigureKind::time || kind == FigureKind::bytes) return true;
    for (const char* word : {"cost", "days", "price", "energy", "power", "bubble"})
        if (pointer.find(word) != std::string::npos) return true;
    return false;
}

namespace {

/// "6 prefill + 1 decode t4": how many instances each pool has, and its tensor ranks where it says them.
QString poolWords(const Json& pools) {
    QStringList words;
    for (const auto& [name, pool] : pools.items()) {
        if (!pool.is_object()) continue;
        QString one = QString::fromStdString(name);
        if (const Json* count = valueAt(pool, "/instances"); count && count->is_number()) one.prepend(grouped(count->get<double>()) + u' ');
        else if (const Json* hosts = valueAt(pool, "/hosts"); hosts && hosts->is_number()) one.prepend(ExploreText::tr("%n hosts", nullptr, hosts->get<int>()) + u' ');
        if (const Json* tensor = valueAt(pool, "/parallelism/tensor"); tensor && tensor->is_number()) one += QStringLiteral(" t") + grouped(tensor->get<double>());
        words << one;
    }
    return words.join(QStringLiteral(" + "));
}

bool arePools(const Json& value) { return value.is_object() && value.contains("prefill") && value.contains("decode"); }

} // namespace

QString valueWords(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? ExploreText::tr("on") : ExploreText::tr("off");
    if (value.is_null()) return ExploreText::tr("default");
    if (value.is_string()) return QString::fromStdString(value.get<std::string>());
    if (value.is_number_integer()) return grouped(value.get<double>());
    if (value.is_number()) return QString::number(value.get<double>(), 'g', 5);
    if (value.is_object())
        for (const char* name : {"preset", "name", "id"})
            if (const auto found = value.find(name); found != value.end() && found->is_string()) return QString::fromStdString(found->get<std::string>());
    if (arePools(value)) return poolWords(value);
    return QString::fromStdString(value.dump());
}

QString keyName(const std::string& pointer) {
    const std::vector<std::string> steps = pointerParts(pointer);
    if (steps.empty()) return {};
    // As the form calls it: inside a sentence without its capital, unless the word has others ("ZeRO stage").
    if (QString name = formKeyName(pointer); !name.isEmpty()) {
        const QString first = name.section(u' ', 0, 0);
        if (first.mid(1) == first.mid(1).toLower()) name[0] = name[0].toLower();
        return name;
    }
    const QString last = stepWords(steps.back());
    // A key that many objects have says little without its object.
    static const std::array<std::string, 9> common{"bandwidth_gb_s", "latency_us", "value", "count", "kind", "method", "data", "tensor", "pipeline"};
    const bool needsMore = std::find(common.begin(), common.end(), steps.back()) != common.end() && steps.size() > 1 && steps[steps.size() - 2] != "parallelism";
    return needsMore ? stepWords(steps[steps.size() - 2]) + u' ' + last : last;
}

QString keyUnit(const std::string& pointer) {
    static constexpr std::pair<std::string_view, const char*> units[] = {{"_gb_s", "GB/s"}, {"_us", "µs"}, {"_per_s", ""}, {"_s", "s"}, {"_w", "W"}, {"_bytes", "bytes"}};
    for (const auto& [ending, unit] : units)
        if (pointer.ends_with(ending)) return QString::fromUtf8(unit);
    return {};
}

QString keyTitle(const std::string& pointer) {
    const QString unit = keyUnit(pointer);
    return unit.isEmpty() ? keyName(pointer) : keyName(pointer) + QStringLiteral(", ") + unit;
}

QString keyLetter(const std::string& pointer) {
    static const std::array<std::pair<const char*, const char*>, 18> letters{{{"/parallelism/tensor", "t"},
                                                                              {"/parallelism/pipeline", "p"},
                                                                              {"/parallelism/virtual_pipeline", "v"},
                                                                              {"/parallelism/context", "c"},
                                                                              {"/parallelism/expert", "e"},
                                                                              {"/parallelism/expert_tensor", "et"},
                                                                              {"/parallelism/zero_stage", "z"},
                                                                              {"/parallelism/shard_group", "sg"},
                                                                              {"/parallelism/attention_data", "ad"},
                                                                              {"/parallelism/sequence", "sp "},
                                                                              {"/parallelism/schedule", ""},
                                                                              {"/workload/micro_batch_size", "mb"},
                                                                              {"/workload/global_batch_size", "gb"},
                                                                              {"/workload/batch_size", "b"},
                                                                              {"/workload/engine/max_num_seqs", "s"},
                                                                              {"/workload/engine/max_num_batched_tokens", "tok"},
                                                                              {"/workload/precision", ""},
                                                                              {"/execution/recompute", "rc "}}};
    for (const auto& [key, letter] : letters)
        if (pointer == key) return QString::fromLatin1(letter);
    return keyName(pointer) + u' ';
}

QString planWords(const std::vector<ScenarioEdit>& changes) {
    QStringList words;
    for (const ScenarioEdit& change : changes) {
        const Json& value = *change.value;
        const QString text = valueWords(value);
        if (change.pointer == "/workload/engine/disaggregation") words << (value.is_null() ? ExploreText::tr("together") : text);
        else words << keyLetter(change.pointer) + (value.is_number() ? QString(text).remove(QLatin1Char(',')) : text);
    }
    return words.join(u' ');
}

QString changesWords(const std::vector<ScenarioEdit>& changes) {
    QStringList words;
    for (const ScenarioEdit& change : changes) words << ExploreText::tr("%1 to %2").arg(keyName(change.pointer), valueWords(*change.value));
    return ExploreText::tr("Set %1").arg(words.join(QStringLiteral(", ")));
}

QString aboutTime(double seconds) {
    constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
    const auto rounded = [](double value) { return value < 10 ? std::round(value * 10) / 10 : std::round(value); };
    if (seconds < 1) return ExploreText::tr("less than a second");
    if (seconds < minute) return about(rounded(seconds), QStringLiteral("s"));
    if (seconds < hour) return about(rounded(seconds / minute), QStringLiteral("min"));
    if (seconds < day) return about(rounded(seconds / hour), ExploreText::tr("hours"));
    if (seconds < year) return about(rounded(seconds / day), ExploreText::tr("days"));
    return about(rounded(seconds / year), ExploreText::tr("years"));
}

} // namespace orrery
