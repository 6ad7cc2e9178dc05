// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/operator_words.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

namespace orrery {
namespace {

struct OperatorText {
    Q_DECLARE_TR_FUNCTIONS(OperatorText)
};

} // namespace

QString phaseText(std::string_view word) {
    if (word == "forward") return OperatorText::tr("forward");
    if (word == "backward") return OperatorText::tr("backward");
    if (word == "recompute") return OperatorText::tr("recompute");
    if (word == "optimizer") return OperatorText::tr("optimizer");
    if (word == "prefill") return OperatorText::tr("prefill");
    if (word == "decode") return OperatorText::tr("decode");
    if (word == "communication") return OperatorText::tr("communication");
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

QString boundText(Bound bound) {
    switch (bound) {
    case Bound::compute: return OperatorText::tr("compute");
    case Bound::memory: return OperatorText::tr("memory");
    case Bound::network: return OperatorText::tr("network");
    case Bound::latency: return OperatorText::tr("latency");
    }
    return {};
}

QString sourceText(Source source) {
    switch (source) {
    case Source::measured: return OperatorText::tr("measured");
    case Source::predicted: return OperatorText::tr("predicted");
    case Source::roofline: return OperatorText::tr("roofline");
    case Source::assumed: return OperatorText::tr("assumed");
    case Source::given: return OperatorText::tr("given");
    case Source::derived: return OperatorText::tr("derived");
    }
    return {};
}

Phase phaseFromWord(std::string_view word) {
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::recompute, Phase::optimizer})
        if (toString(phase) == word) return phase;
    return Phase::communication;
}

const TimedOperator* findOperator(const Timeline& timeline, const OperationRow& row) {
    const Phase phase = phaseFromWord(row.phase);
    const auto found = std::find_if(timeline.operators.begin(), timeline.operators.end(),
                                    [&](const TimedOperator& timed) { return timed.op.phase == phase && timed.op.name == row.kind; });
    return found == timeline.operators.end() ? nullptr : &*found;
}

QString bitRate(double gigabytesPerSecond) {
    const double gigabits = gigabytesPerSecond * 8;
    const QLocale locale;
    if (gigabits >= 1000) return locale.toString(gigabits / 1000, 'g', 4) + QStringLiteral("\u2009Tb/s");
    return locale.toString(gigabits, 'g', 4) + QStringLiteral("\u2009Gb/s");
}

} // namespace orrery
