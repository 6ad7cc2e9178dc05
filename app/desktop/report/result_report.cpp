// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/result_report.hpp"

#include "core/base/json.hpp"
#include "core/base/provenance.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/scenario/document/share_text.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/operator_words.hpp"
#include "widgets/headline/figures.hpp"
#include "widgets/insight/quantity_words.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t mostOperators = 20; ///< rows of the table of operators
constexpr std::size_t mostStages = 8;     ///< columns of the table of memory
constexpr std::size_t longestLine = 110;  ///< letters of JSON before it is broken over lines

struct ReportText {
    Q_DECLARE_TR_FUNCTIONS(ReportText)
};

QString percent(double fraction) { return readablePercent(fraction).text(); }

QString wordsOfName(std::string_view name) {
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace(u'_', u' ');
}

QString subtitleOf(const Result& result) {
    const Scenario& scenario = result.scenario;
    const Parallelism& plan = scenario.parallelism;
    QStringList ways{ReportText::tr("tensor %1").arg(plan.tensor), ReportText::tr("pipeline %1").arg(plan.pipeline)};
    if (plan.context > 1) ways << ReportText::tr("context %1").arg(plan.context);
    if (plan.expert > 1) ways << ReportText::tr("expert %1").arg(plan.expert);
    ways << ReportText::tr("data %1").arg(plan.data);
    const QString model = QString::fromStdString(scenario.modelName.empty() ? scenario.model.modelType : scenario.modelName);
    return ReportText::tr("%1 (%2 parameters) on %3 × %4: %5")
        .arg(model, readableCount(result.parameters).text(), grouped(scenario.cluster.accelerators()), QString::fromStdString(scenario.cluster.accelerator.name), ways.join(QStringLiteral(", ")));
}

ReportSection figuresSection(const std::vector<Figure>& figures) {
    ReportSection section{ReportText::tr("Figures"), {}, {{ReportText::tr("Figure"), ReportText::tr("Value"), ReportText::tr("Beside it")}, {}}, {}, {}};
    for (const Figure& figure : figures) section.table.rows.push_back({figure.title, (figure.number + u' ' + figure.unit).trimmed(), figure.detail});
    return section;
}

ReportSection warningsSection(const Result& result) {
    ReportSection section{ReportText::tr("Warnings"), {}, {}, {}, {}};
    for (const Problem& problem : result.warnings) section.paragraphs << QString::fromStdString(problem.message + (problem.mend.empty() ? "" : " " + problem.mend));
    if (result.outOfMemory)
        for (const TriedMend& mend : result.outOfMemory->mends)
            section.paragraphs << ReportText::tr("Fits with: %1 (%2, %3).").arg(coreWords(mend.text), readableTime(mend.iterationTime).text(), readableBytes(mend.peakBytes).text());
    return section;
}

ReportSection causesSection(const Result& result) {
    ReportSection section{ReportText::tr("Why this long?"), {}, {{ReportText::tr("Share"), ReportText::tr("Cause"), ReportText::tr("To try")}, {}}, {}, {}};
    for (const Cause& cause : result.causes) {
        const QString text = coreWords(cause.text);
        section.table.rows.push_back({percent(cause.share), cause.figure.empty() ? text : coreWords(cause.figure) + QStringLiteral(": ") + text, coreWords(cause.tryLabel)});
    }
    return section;
}

ReportSection timeSection(const TrainingMetrics& training) {
    ReportSection section{ReportText::tr("Where the time goes"), {ReportText::tr("The wall clock of the stage whose end closes the iteration; the parts sum to it.")}, {{ReportText::tr("Part"), ReportText::tr("Time"), ReportText::tr("Share")}, {}}, {}, {}};
    for (std::size_t i = 0; i < timePartCount; ++i) {
        if (training.breakdown[i] <= 0) continue;
        section.table.rows.push_back({wordsOfName(toString(static_cast<TimePart>(i))), readableTime(training.breakdown[i]).text(), percent(training.breakdown[i] / training.iterationTime)});
    }
    return section;
}

ReportSection servedSection(const ServingReport& serving) {
    const ServingMetrics& served = serving.served;
    ReportSection section{ReportText::tr("Latency"),
                          {ReportText::tr("%1 of %2 requests were completed, %3 rejected.").arg(grouped(static_cast<double>(served.completed)), grouped(static_cast<double>(served.count)), grouped(static_cast<double>(served.rejected)))},
                          {{ReportText::tr("Time"), ReportText::tr("Mean"), QStringLiteral("p50"), QStringLiteral("p90"), QStringLiteral("p95"), QStringLiteral("p99")}, {}},
                          {},
                          {}};
    const auto row = [&section](const QString& name, const Distribution& times) {
        section.table.rows.push_back({name, readableTime(times.mean).text(), readableTime(times.p50).text(), readableTime(times.p90).text(), readableTime(times.p95).text(), readableTime(times.p99).text()});
    };
    row(ReportText::tr("to first token"), served.ttft);
    row(ReportText::tr("per output token"), served.tpot);
    row(ReportText::tr("between tokens"), served.itl);
    row(ReportText::tr("whole request"), served.e2e);
    row(ReportText::tr("waiting for a place"), served.queue);
    return section;
}

/// Kinds that some stage holds are rows, stages columns: there are always few kinds.
ReportSection memorySection(const MemoryReport& memory) {
    ReportSection section{ReportText::tr("Memory"),
                          {ReportText::tr("The fullest moment of each stage: %1 at most, of %2.").arg(readableBytes(memory.peakBytes).text(), readableBytes(memory.capacityBytes).text())},
                          {{ReportText::tr("Kind")}, {}},
                          {},
                          {}};
    std::vector<const StageMemory*> stages;
    for (const StageMemory& stage : memory.stages) stages.push_back(&stage);
    if (stages.size() > mostStages) {
        section.paragraphs << ReportText::tr("The %1 fullest of %2 stages.").arg(mostStages).arg(stages.size());
        std::stable_sort(stages.begin(), stages.end(), [](const StageMemory* a, const StageMemory* b) { return a->peakBytes > b->peakBytes; });
        stages.resize(mostStages);
    }
    for (const StageMemory* stage : stages) section.table.columns << ReportText::tr("stage %1").arg(stage->stage);
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        if (std::none_of(stages.begin(), stages.end(), [kind](const StageMemory* stage) { return stage->bytes[kind] > 0; })) continue;
        QStringList row{wordsOfName(toString(static_cast<MemoryKind>(kind)))};
        for (const StageMemory* stage : stages) row << readableBytes(stage->bytes[kind]).text();
        section.table.rows.push_back(row);
    }
    QStringList sums{ReportText::tr("together")};
    for (const StageMemory* stage : stages) sums << readableBytes(stage->peakBytes).text();
    section.table.rows.push_back(sums);
    return section;
}

ReportSection operatorsSection(const Result& result) {
    std::vector<const OperationRow*> rows;
    for (const OperationRow& row : result.operations) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const OperationRow* a, const OperationRow* b) { return a->time > b->time; });
    ReportSection section{ReportText::tr("Operators"), {}, {{ReportText::tr("Operator"), ReportText::tr("Phase"), ReportText::tr("Count"), ReportText::tr("Time"), ReportText::tr("Bound by"), ReportText::tr("Its time is")}, {}}, {}, {}};
    if (rows.size() > mostOperators) section.paragraphs << ReportText::tr("The %1 longest of %2; means per accelerator, before overlap.").arg(mostOperators).arg(rows.size());
    rows.resize(std::min(rows.size(), mostOperators));
    for (const OperationRow* row : rows)
        section.table.rows.push_back({QString::fromStdString(row->kind), phaseText(row->phase), grouped(row->count, row->count == std::floor(row->count) ? 0 : 1), readableTime(row->time).text(), boundText(row->bound), sourceText(row->source)});
    return section;
}

ReportSection assumedSection(const Result& result) {
    ReportSection section{ReportText::tr("Assumed"), {}, {{ReportText::tr("Field"), ReportText::tr("Value"), ReportText::tr("Why")}, {}}, {}, {}};
    for (const Assumption& assumption : result.assumed)
        section.table.rows.push_back({QString::fromStdString(assumption.pointer), QString::fromStdString((*assumption.value).dump()), coreWords(assumption.why)});
    return section;
}

ReportSection errorSection(const Uncertainty& uncertainty) {
    ReportSection section{ReportText::tr("How sure"), {}, {{ReportText::tr("Measured run"), ReportText::tr("Error"), ReportText::tr("Source")}, {}}, {}, {}};
    const auto first = std::find_if(uncertainty.bars.begin(), uncertainty.bars.end(), [](const std::optional<ErrorBar>& bar) { return bar.has_value(); });
    if (first == uncertainty.bars.end()) return section;
    const ErrorBar& bar = **first;
    section.paragraphs << ReportText::tr("9 of 10 such runs lie between −%1 and +%2: %3").arg(percent(bar.down()), percent(bar.up()), QString::fromStdString(bar.basis));
    if (!bar.missing.empty()) section.paragraphs << QString::fromStdString(bar.missing);
    for (const NearRun& run : bar.nearest)
        section.table.rows.push_back({QString::fromStdString(run.id), (run.errorPercent < 0 ? QStringLiteral("−") : QStringLiteral("+")) + percent(std::abs(run.errorPercent) / 100), QString::fromStdString(run.source)});
    return section;
}

ReportSection derivationsSection(const Result& result, const std::vector<Figure>& figures) {
    ReportSection section{ReportText::tr("Where the figures come from"), {}, {}, {}, {}};
    QStringList texts;
    for (const Figure& figure : figures)
        if (const auto quantity = explain(result, figure.pointer.toStdString())) texts << QString::fromStdString(toText(inWords(*quantity)));
    section.listing = texts.join(u'\n');
    return section;
}

/// JSON for people: what is short stands in one line, so that a cluster's links take a line each and no page.
std::string foldedJson(const Json& json, const std::string& indent = {}) {
    std::string line = json.dump();
    if (!json.is_structured() || json.empty() || line.size() + indent.size() <= longestLine) return line;
    const std::string inner = indent + "  ";
    std::string text(1, json.is_object() ? '{' : '[');
    for (auto item = json.begin(); item != json.end(); ++item) {
        text += (item == json.begin() ? "\n" : ",\n") + inner;
        if (json.is_object()) text += Json(item.key()).dump() + ": ";
        text += foldedJson(*item, inner);
    }
    return text + "\n" + indent + (json.is_object() ? '}' : ']');
}

bool saysNothing(const ReportSection& section) {
    return section.paragraphs.isEmpty() && section.table.isEmpty() && section.charts.empty() && section.listing.isEmpty();
}

} // namespace

Report reportOf(const Result& result, const Json& scenario, std::vector<ReportChart> charts) {
    const std::vector<Figure> figures = headlineFigures(&result, nullptr, {});
    Report report;
    report.title = result.name.empty() ? ReportText::tr("A simulated scenario") : QString::fromStdString(result.name);
    report.subtitle = subtitleOf(result);
    report.sections = {figuresSection(figures), warningsSection(result), causesSection(result), {ReportText::tr("Charts"), {}, {}, std::move(charts), {}}};
    if (const TrainingMetrics* training = result.training()) report.sections.push_back(timeSection(*training));
    if (const ServingReport* serving = result.serving()) report.sections.push_back(servedSection(*serving));
    report.sections.push_back(memorySection(result.memory));
    report.sections.push_back(operatorsSection(result));
    if (result.uncertainty) report.sections.push_back(errorSection(*result.uncertainty));
    report.sections.push_back(assumedSection(result));
    report.sections.push_back(derivationsSection(result, figures));
    const QString version = QCoreApplication::applicationVersion();
    report.sections.push_back({ReportText::tr("The scenario"), {ReportText::tr("Orrery %1 gives the same figures from this file.").arg(version)}, {}, {}, QString::fromStdString(foldedJson(scenario))});
    report.mark = QString::fromStdString(markText({version.toStdString(), scenario, figuresOf(toJson(result))}));
    report.sections.erase(std::remove_if(report.sections.begin(), report.sections.end(), saysNothing), report.sections.end());
    return report;
}

} // namespace orrery
