// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/study/study_words.hpp"

#include "core/answers/study/run_study.hpp"

#include <QCoreApplication>

#include <cmath>

namespace orrery {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("orrery::StudyWords", text); }

} // namespace

QString studyWord(const std::string& word) {
    static const std::pair<const char*, const char*> words[] = {
        {"compute", QT_TRANSLATE_NOOP("orrery::StudyWords", "arithmetic")}, {"memory", QT_TRANSLATE_NOOP("orrery::StudyWords", "memory")}, {"network", QT_TRANSLATE_NOOP("orrery::StudyWords", "network")}, {"latency", QT_TRANSLATE_NOOP("orrery::StudyWords", "latency")}, {"matrix", QT_TRANSLATE_NOOP("orrery::StudyWords", "matrix units")}, {"vector", QT_TRANSLATE_NOOP("orrery::StudyWords", "vector units")}, {"dram", QT_TRANSLATE_NOOP("orrery::StudyWords", "DRAM")}, {"l2", QT_TRANSLATE_NOOP("orrery::StudyWords", "L2")}, {"shared_memory", QT_TRANSLATE_NOOP("orrery::StudyWords", "shared memory")}, {"registers", QT_TRANSLATE_NOOP("orrery::StudyWords", "registers")}};
    for (const auto& [key, text] : words)
        if (word == key) return tr(text);
    return QString::fromStdString(word);
}

QString factorText(double factor) {
    return QStringLiteral("× %1").arg(QString::number(factor, 'f', factor < 10 ? 2 : 1));
}

QString stepText(const StudyResult& result, std::size_t plot, std::size_t point) {
    const auto gains = stepGains(result, plot);
    if (!gains || point == 0 || point >= gains->steps.size()) return {};
    const StepGain& step = gains->steps[point];
    const QString cause = QString::fromStdString(step.cause);
    const QString all = factorText(step.total);
    return cause.isEmpty() ? tr("%1, %2 in all").arg(factorText(step.factor), all) : tr("%1 (%2), %3 in all").arg(factorText(step.factor), cause, all);
}

QString chainText(const StudyResult& result, std::size_t plot) {
    const auto gains = stepGains(result, plot);
    if (!gains || gains->steps.size() < 2) return {};
    QString text;
    for (const StepGain& cause : gains->causes) {
        const QString factor = factorText(cause.factor).mid(2);
        text += (text.isEmpty() ? QStringLiteral(" = ") : QStringLiteral(" × ")) + (cause.name.empty() ? factor : tr("%1 %2").arg(QString::fromStdString(cause.name), factor));
    }
    return factorText(gains->total) + text;
}

Readable studyNumber(double value, const QString& unit) {
    if (unit == QLatin1String("bytes")) return readableBytes(value);
    if (unit == QLatin1String("s")) return readableTime(value);
    if (unit == QLatin1String("1")) return readablePercent(value);
    return {readableCount(value).text(), unit};
}

AxisUnit axisUnit(double largest, const QString& unit) {
    if (unit == QLatin1String("1")) return {0.01, QStringLiteral("%")};
    const bool bytes = unit == QLatin1String("bytes");
    if (!bytes && unit != QLatin1String("s")) return {1, unit};
    const struct {
        double factor;
        const char* name;
    } sizes[] = {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}},
      times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    for (const auto& one : bytes ? sizes : times)
        if (largest >= one.factor) return {one.factor, QString::fromUtf8(one.name)};
    return {bytes ? 1 : 1e-9, bytes ? QStringLiteral("B") : QStringLiteral("ns")};
}

} // namespace orrery
