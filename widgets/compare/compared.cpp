// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compared.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/results/comparison/accounts.hpp"
#include "core/results/comparison/compare.hpp"
#include "widgets/common/format.hpp"
#include "widgets/compare/compared_inputs.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/insight/difference_bars.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

struct ComparedText {
    Q_DECLARE_TR_FUNCTIONS(ComparedText)
};

/// Less than this share of a figure is nothing that a reader sees.
constexpr double unseenShare = 5e-5;

QString cutWords(QString text) {
    constexpr int longest = 24;
    if (text.size() > longest) text = text.left(longest - 1) + QStringLiteral("…");
    return text;
}

QString chipValue(const Json* value) {
    if (!value) return {};
    if (value->is_object() || value->is_array()) {
        const QString words = valueWords(*value);
        return words.startsWith(u'{') || words.startsWith(u'[') ? ComparedText::tr("changed") : cutWords(words);
    }
    return cutWords(valueWords(*value).remove(QLatin1Char(',')));
}

} // namespace

std::string usualFigure(const Result& result) {
    if (result.inference()) return "/request_latency_s";
    return result.serving() ? "/e2e_s/mean" : "/iteration_time_s";
}

double usualFigureOf(const Result& result) {
    if (const TrainingMetrics* training = result.training()) return training->iterationTime;
    if (const InferenceMetrics* inference = result.inference()) return inference->requestLatency;
    return result.serving()->served.e2e.mean;
}

bool areOfOneKind(const Result& a, const Result& b) { return a.metrics.index() == b.metrics.index(); }

QString signedChange(double from, double to) {
    if (!(std::abs(from) > 0)) return to == from ? QStringLiteral("±0 %") : QStringLiteral("–");
    const double share = (to - from) / std::abs(from);
    if (std::abs(share) < unseenShare) return QStringLiteral("±0 %");
    const QString size = std::abs(share) >= 10 ? grouped(std::abs(share) * 100) + QStringLiteral(" %") : readablePercent(std::abs(share)).text();
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + size;
}

QString signedFigure(const std::string& pointer, double difference) {
    if (difference == 0) return QStringLiteral("±") + figureWords(pointer, 0.0);
    return (difference < 0 ? QStringLiteral("−") : QStringLiteral("+")) + figureWords(pointer, std::abs(difference));
}

const char* changeRole(const std::string& pointer, double from, double to) {
    if (std::abs(to - from) <= unseenShare * std::abs(from)) return "secondary";
    const bool less = lessIsBetter(pointer) || pointer == "/kv_cache_utilisation" || pointer == "/preemptions";
    return (to < from) == less ? "good" : "warning";
}

QString sureChangeWords(const Result& from, const Result& to) {
    const double a = usualFigureOf(from), b = usualFigureOf(to);
    const QString change = signedChange(a, b);
    const std::optional<SureChange> sure = change.endsWith(QStringLiteral(" %")) ? sureChange(from, to, usualFigure(to), a, b) : std::nullopt;
    if (!sure) return change;
    const double half = 50 * (sure->high - sure->low);
    return ComparedText::tr("%1 ± %2 %").arg(change.chopped(2), grouped(half, half < 9.95 ? 1 : 0));
}

const char* sureChangeRole(const Result& from, const Result& to) {
    const double a = usualFigureOf(from), b = usualFigureOf(to);
    const std::optional<SureChange> sure = sureChange(from, to, usualFigure(to), a, b);
    return sure && !sure->isSure() ? "secondary" : changeRole(usualFigure(to), a, b);
}

std::vector<FigurePart> usualParts(const Result& result) {
    std::vector<FigurePart> parts;
    if (const TrainingMetrics* training = result.training()) {
        for (std::size_t i = 0; i < timePartCount; ++i) {
            const auto part = static_cast<TimePart>(i);
            if (training->breakdown[i] > 0) parts.push_back({partWords(std::string(toString(part))), training->breakdown[i], part});
        }
        return parts;
    }
    if (const InferenceMetrics* inference = result.inference()) {
        parts.push_back({ComparedText::tr("prefill"), inference->ttft, TimePart::forward});
        parts.push_back({ComparedText::tr("decode"), inference->requestLatency - inference->ttft, std::nullopt, true});
        return parts;
    }
    const Json document = toJson(result);
    const auto account = accountOf(document, "/e2e_s/mean");
    if (!account) return parts;
    for (const Account::Part& part : account->parts)
        if (part.value > 0) parts.push_back({partWords(part.name), part.value, part.name == "prefill" ? std::optional(TimePart::forward) : std::nullopt, part.name == "decode"});
    return parts;
}

QStringList differenceChips(const Json& base, const std::vector<ScenarioEdit>& edits) {
    QStringList chips;
    // What the drawing says is told as a whole: a faster network is one change, in however many links.
    if (std::any_of(edits.begin(), edits.end(), [](const ScenarioEdit& edit) { return isOfDrawing(edit.pointer); }))
        if (const EditOutcome changed = applyEdits(base, edits); changed.error.empty()) {
            const Json* documents[] = {&base, &*changed.document};
            const auto words = [&](std::size_t i, const std::string& pointer) { return chipValue(valueAt(*documents[i], pointer)); };
            for (const ComparedInput& input : comparedInputs({documents[0], documents[1]}, words))
                if (isOfDrawing(input.pointer)) chips << input.name + u' ' + input.values[0] + QStringLiteral("→") + input.values[1];
        }
    for (const ScenarioEdit& edit : edits) {
        if (isOfDrawing(edit.pointer)) continue;
        QString key = keyLetter(edit.pointer).trimmed();
        if (key.isEmpty()) key = keyName(edit.pointer);
        const Json* before = valueAt(base, edit.pointer);
        const QString from = chipValue(before), to = edit.value->is_null() ? ComparedText::tr("default") : chipValue(&*edit.value);
        if (from.isEmpty() || from == to) chips << key + u' ' + to;
        else chips << key + u' ' + from + QStringLiteral("→") + to;
    }
    return chips;
}

QString inputWords(const ComparedScenario& scenario, const std::string& pointer) {
    if (const Json* value = valueAt(*scenario.document, pointer)) return valueWords(*value);
    if (scenario.result)
        for (const Assumption& assumed : scenario.result->assumed)
            if (assumed.pointer == pointer) return ComparedText::tr("%1 (assumed)").arg(valueWords(*assumed.value));
    return QStringLiteral("–");
}

} // namespace orrery
