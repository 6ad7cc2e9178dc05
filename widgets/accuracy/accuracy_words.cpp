// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accuracy/accuracy_words.hpp"

#include "widgets/common/format.hpp"

#include <QCoreApplication>

#include <cmath>

namespace orrery {
namespace {

struct AccuracyWords {
    Q_DECLARE_TR_FUNCTIONS(AccuracyWords)
};

const QString none(QStringLiteral("–"));

} // namespace

QString signedPercent(const std::optional<double>& percent) {
    if (!percent) return none;
    if (std::abs(*percent) < 0.05) return AccuracyWords::tr("%1 %").arg(grouped(0, 1)); // no sign where nothing is left of it
    return AccuracyWords::tr("%1%2 %").arg(*percent < 0 ? QStringLiteral("−") : QStringLiteral("+"), grouped(std::abs(*percent), 1));
}

QString plainPercent(const std::optional<double>& percent) { return percent ? AccuracyWords::tr("%1 %").arg(grouped(*percent, 1)) : none; }

QString figureText(const std::string& metric, double value) {
    if (metric == "peak_memory_bytes") return readableBytes(value).text();
    if (metric.find("tokens_per_s") == std::string::npos) return readableTime(value).text();
    return AccuracyWords::tr("%1 tokens/s").arg(grouped(value, value < 10 ? 2 : 0));
}

QString errorKindWord(ErrorOf what) {
    switch (what) {
    case ErrorOf::time: return AccuracyWords::tr("iteration time");
    case ErrorOf::memory: return AccuracyWords::tr("peak memory");
    case ErrorOf::first_token: return AccuracyWords::tr("time to first token");
    case ErrorOf::per_token: return AccuracyWords::tr("time per output token");
    case ErrorOf::output_rate: break;
    }
    return AccuracyWords::tr("output rate");
}

QString errorKindLabel(ErrorOf what) {
    switch (what) {
    case ErrorOf::time: return AccuracyWords::tr("Time");
    case ErrorOf::memory: return AccuracyWords::tr("Peak memory");
    case ErrorOf::first_token: return AccuracyWords::tr("TTFT");
    case ErrorOf::per_token: return AccuracyWords::tr("TPOT");
    case ErrorOf::output_rate: break;
    }
    return AccuracyWords::tr("Output rate");
}

QString groupingWord(ErrorGrouping grouping) {
    switch (grouping) {
    case ErrorGrouping::accelerator: return AccuracyWords::tr("accelerator");
    case ErrorGrouping::model: return AccuracyWords::tr("model");
    case ErrorGrouping::framework: return AccuracyWords::tr("framework");
    case ErrorGrouping::source: break;
    }
    return AccuracyWords::tr("collection");
}

} // namespace orrery
