// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/operator_words.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

namespace orrery {
namespace {

QString text(const char* source) { return QCoreApplication::translate("orrery::OperatorWords", source); }

} // namespace

QString phaseText(std::string_view word) {
    if (word == "forward") return text("forward");
    if (word == "backward") return text("backward");
    if (word == "recompute") return text("recompute");
    if (word == "optimizer") return text("optimizer");
    if (word == "prefill") return text("prefill");
    if (word == "decode") return text("decode");
    if (word == "communication") return text("communication");
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

QString boundText(Bound bound) {
    switch (bound) {
    case Bound::compute: return text("compute");
    case Bound::memory: return text("memory");
    case Bound::network: return text("network");
    case Bound::latency: return text("latency");
    }
    return {};
}

QString sourceText(Source source) {
    switch (source) {
    case Source::measured: return text("measured");
    case Source::predicted: return text("predicted");
    case Source::roofline: return text("roofline");
    case Source::assumed: return text("assumed");
    case Source::given: return text("given");
    case Source::derived: return text("derived");
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
