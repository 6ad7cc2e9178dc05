// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/accuracy_report.hpp"

#include "core/answers/evidence/error_tables.hpp"
#include "core/base/html_page.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {
namespace {

constexpr std::string_view style = R"(:root { --ground: #ffffff; --panel: #f5f6f8; --line: #d9dce1; --text: #1b1e23; --quiet: #5c636e; --link: #0b5cad; --far: #a3361f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181c; --panel: #1f2227; --line: #363b43; --text: #e6e8eb; --quiet: #9aa1ac; --link: #7db8f2; --far: #f0937c; }
}
body { background: var(--ground); color: var(--text); font: 14px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 78rem; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; } h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p, summary, .quiet { color: var(--quiet); } a { color: var(--link); } summary { cursor: pointer; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .22rem .7rem .22rem 0; text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; } th.n, td.n { text-align: right; white-space: nowrap; }
tr.all td { background: var(--panel); font-weight: 600; }
td.far { color: var(--far); }
details { margin: .3rem 0; } details p { columns: 16rem; margin: .3rem 0 .8rem; }
details span { display: block; break-inside: avoid; }
)";

constexpr std::array<std::pair<ErrorGrouping, const char*>, 4> groupings{
    {{ErrorGrouping::accelerator, "accelerator"}, {ErrorGrouping::model, "model"}, {ErrorGrouping::framework, "framework"}, {ErrorGrouping::source, "collection"}}};

constexpr double far = 20; ///< percent: an error that is marked

std::string percent(const std::optional<double>& value) { return value ? html::number(*value, 1) : "–"; }

std::string signedPercent(const std::optional<double>& value) {
    if (!value) return "–";
    const std::string text = html::number(*value, 1);
    return *value > 0 && text != "0.0" ? "+" + text : text;
}

std::string errorCell(const std::optional<double>& value) {
    return value && std::abs(*value) >= far ? "<td class=\"n far\">" + signedPercent(value) + "</td>" : html::numberCell(signedPercent(value));
}

/// A measured or predicted figure with its unit.
std::string figureText(const std::string& metric, double value) {
    constexpr double gibibyte = 1024.0 * 1024 * 1024;
    if (metric == "peak_memory_bytes") return html::number(value / gibibyte, 1) + " GiB";
    if (metric.find("tokens_per_s") == std::string::npos) return value < 1 ? html::number(1e3 * value, 1) + " ms" : html::number(value, 2) + " s";
    return html::number(value, value < 10 ? 2 : 0) + " tokens/s";
}

std::string headOf(const std::vector<std::string>& columns, std::size_t words) {
    std::string row = "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i) row += (i < words ? "<th>" : "<th class=\"n\">") + columns[i] + "</th>";
    return "<div class=\"wide\"><table>\n<thead>" + row + "</tr></thead>\n<tbody>\n";
}
constexpr std::string_view tableEnd = "</tbody></table></div>\n";

/// A run that measured what the section is of.
struct Case {
    const MeasuredRun* run = nullptr;
    const MeasuredFigure* figure = nullptr;
    std::optional<double> error;
};

class Section {
public:
    Section(const Evidence& evidence, const Catalog& catalog, const ErrorBars& bars, ErrorOf what)
        : evidence_(evidence), catalog_(catalog), bars_(bars), what_(what), id_(wordOf(what)) {
        for (const MeasuredRun& run : evidence.runs)
            if (const MeasuredFigure* figure = measuredFigureOf(run, what)) cases_.push_back({&run, figure, inSampleError(*figure)});
        const auto size = [](const Case& one) { return one.error ? std::abs(*one.error) : -1; };
        std::stable_sort(cases_.begin(), cases_.end(), [&](const Case& a, const Case& b) { return size(a) > size(b); });
    }

    std::string text() const {
        std::string text = "<h2 id=\"" + id_ + "\">" + titleOf(what_) + "</h2>\n";
        for (const auto& [grouping, name] : groupings) text += groups(grouping, name);
        return text + coverage() + allCases();
    }

private:
    static std::string row(const ErrorTableRow& row, const std::string& name, const char* mark) {
        using html::numberCell;
        const ErrorSummary& known = row.inSample;
        return "<tr" + std::string(mark) + ">" + html::cell(html::escaped(name)) + numberCell(html::number(double(row.runs), 0)) + numberCell(percent(known.medianAbs)) +
               numberCell(percent(known.meanAbs)) + numberCell(percent(known.p90Abs)) + numberCell(percent(known.maxAbs)) + numberCell(signedPercent(known.mean)) +
               numberCell(percent(row.leftOut.medianAbs)) + numberCell(percent(row.leftOut.meanAbs)) + numberCell(percent(row.leftOut.p90Abs)) + "</tr>\n";
    }

    std::string groups(ErrorGrouping grouping, const char* name) const {
        std::string text = "<h3>By " + std::string(name) + "</h3>\n";
        text += headOf({name, "runs", "median", "mean", "90th percentile", "worst", "bias", "left out: median", "mean", "90th percentile"}, 1);
        text += row(errorTotal(evidence_, what_), "all", " class=\"all\"");
        const std::vector<ErrorTableRow> rows = errorTable(evidence_, grouping, what_);
        for (const ErrorTableRow& one : rows) text += row(one, one.key, "");
        text += tableEnd;
        for (const ErrorTableRow& one : rows) text += casesOf(grouping, one.key);
        const std::vector<std::string> without = withoutEvidence(evidence_, grouping, what_, catalog_);
        if (!without.empty()) text += "<p>No evidence: nothing was measured with " + html::escaped(joinWords(without, " or ")) + ".</p>\n";
        return text;
    }

    std::string casesOf(ErrorGrouping grouping, const std::string& key) const {
        std::string list;
        std::size_t count = 0;
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            if (keyOf(*cases_[i].run, grouping) != key) continue;
            ++count;
            list += "<span><a href=\"#" + placeOf(i) + "\">" + html::escaped(cases_[i].run->id) + "</a> " + signedPercent(cases_[i].error) + "</span>\n";
        }
        return "<details><summary>" + html::escaped(key) + ": " + counted(static_cast<std::int64_t>(count), "run") + ", worst first</summary><p>\n" + list + "</p></details>\n";
    }

    std::string coverage() const {
        const Coverage covered = evaluateCoverage(bars_, what_);
        std::string text = "<h3>Error bars</h3>\n<p>Intervals for " + html::number(100 * ErrorBars::level, 0) +
                           " %, each from runs of other sources alone. Widths in percent of the prediction.</p>\n";
        text += headOf({"collection", "runs", "covered", "mean half-width", "median half-width", "median error", "without an interval"}, 1);
        const auto add = [&](const CoverageRow& row, const std::string& name, const char* mark) {
            text += "<tr" + std::string(mark) + ">" + html::cell(html::escaped(name));
            const bool any = row.runs > 0;
            for (const std::string& cell : {html::number(row.runs, 0), any ? html::number(100 * row.share(), 1) : "–", any ? html::number(100 * row.meanHalfWidth, 1) : "–",
                                            any ? html::number(100 * row.medianHalfWidth, 1) : "–", any ? html::number(100 * row.medianError, 1) : "–", html::number(row.without, 0)})
                text += html::numberCell(cell);
            text += "</tr>\n";
        };
        add(covered.all, "all", " class=\"all\"");
        for (const CoverageRow& row : covered.groups) add(row, row.group, "");
        return text + std::string(tableEnd);
    }

    std::string placeOf(std::size_t index) const { return id_ + "-" + std::to_string(index + 1); }

    std::string allCases() const {
        std::string text = "<h3>All runs, worst first</h3>\n";
        text += headOf({"run", "model", "accelerators", "framework", "source", "measured", "predicted", "error", "left out"}, 5);
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            const MeasuredRun& run = *cases_[i].run;
            const MeasuredFigure& figure = *cases_[i].figure;
            text += "<tr id=\"" + placeOf(i) + "\">" + html::cell(html::escaped(run.id)) + html::cell(html::escaped(run.model)) +
                    html::cell(html::number(run.accelerators, 0) + " × " + html::escaped(run.accelerator)) + html::cell(html::escaped(run.framework)) +
                    html::cell(html::link(run.sourceUrl, run.source.empty() ? run.sourceUrl : run.source)) + html::numberCell(figureText(figure.metric, figure.measured)) +
                    html::numberCell(figure.predicted ? figureText(figure.metric, *figure.predicted) : "–") + errorCell(cases_[i].error) + errorCell(leftOutError(figure)) +
                    "</tr>\n";
        }
        return text + std::string(tableEnd);
    }

    const Evidence& evidence_;
    const Catalog& catalog_;
    const ErrorBars& bars_;
    ErrorOf what_;
    std::string id_;
    std::vector<Case> cases_; ///< worst first; those that could not be predicted last
};

/// A row for each kind of figure that was measured.
std::string summary(const Evidence& evidence) {
    std::string text = headOf({"figure", "runs", "median", "90th percentile", "left out: median", "90th percentile", "mean over collections"}, 1);
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        const ErrorTableRow total = errorTotal(evidence, kind.value);
        if (total.runs == 0) continue;
        text += "<tr>" + html::cell(titleOf(kind.value)) + html::numberCell(html::number(double(total.runs), 0));
        for (const std::optional<double>& value : {total.inSample.medianAbs, total.inSample.p90Abs, total.leftOut.medianAbs, total.leftOut.p90Abs, neverSeenError(evidence, kind.value)})
            text += html::numberCell(percent(value));
        text += "</tr>\n";
    }
    return text + std::string(tableEnd);
}

/// Whether a run fits its memory: measured against predicted.
std::string outOfMemory(const Evidence& evidence) {
    OutOfMemorySummary summary;
    for (const MeasuredRun& run : evidence.runs)
        if (run.outOfMemory) summary.add(*run.outOfMemory, run.predictedOutOfMemory);
    if (summary.count == 0) return {};
    const auto number = [](std::size_t count) { return html::number(double(count), 0); };
    return "<h2 id=\"fits\">Fits or not</h2>\n<p>Of " + number(summary.count) + " runs of which it is known: " + number(summary.truePositive) + " out of memory and predicted so, " +
           number(summary.trueNegative) + " fitting and predicted so, " + number(summary.falsePositive) + " predicted out of memory that fitted, " + number(summary.falseNegative) +
           " predicted to fit that did not.</p>\n";
}

} // namespace

std::string accuracyReport(const Evidence& evidence, const Catalog& catalog, const ErrorBars& bars) {
    std::string sections, links;
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        sections += Section(evidence, catalog, bars, kind.value).text();
        links += "<a href=\"#" + std::string(kind.word) + "\">" + titleOf(kind.value) + "</a> · ";
    }
    std::string text = "<h1>How right Orrery is</h1>\n<p>" + html::number(double(evidence.runs.size()), 0) + " measured runs, each predicted from its scenario alone. " +
                       "“Left out” are predictions by constants fitted without the run's own collection, which is what a new kind of run is to expect.</p>\n";
    text += summary(evidence);
    text += "<p>Errors in percent: 100 · (predicted/measured − 1) for times and bytes, 100 · (measured/predicted − 1) for rates; + is too slow or too much. "
            "Median, mean, 90th percentile and worst are of sizes, bias of signed errors. Worst first.</p>\n<p>" +
            links + "<a href=\"#fits\">Fits or not</a></p>\n";
    return html::page("Orrery: accuracy", style, text + sections + outOfMemory(evidence));
}

} // namespace orrery
