// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/accuracy_report.hpp"
#include "core/answers/evidence/error_tables.hpp"
#include "core/base/html_page.hpp"
#include "resources/shipped_evidence.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <set>

namespace orrery {
namespace {

using test::catalog;

std::string reportOf(const std::shared_ptr<const Evidence>& evidence) { return accuracyReport(*evidence, catalog(), ErrorBars(evidence, catalog())); }

const std::string& shippedReport() {
    static const std::string text = reportOf(shippedEvidence());
    return text;
}

std::vector<std::string> allOf(const std::string& text, const std::string& pattern) {
    const std::regex wanted(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) found.push_back((*at)[1]);
    return found;
}

/// What stands in the cells of a row.
std::vector<std::string> cellsOf(const std::string& row) {
    std::vector<std::string> cells;
    for (std::size_t at = row.find("<td"); at != std::string::npos; at = row.find("<td", at + 1)) {
        const std::size_t begin = row.find('>', at) + 1;
        cells.push_back(row.substr(begin, row.find("</td>", begin) - begin));
    }
    return cells;
}

MeasuredRun run(const std::string& id, double measured, std::optional<double> predicted) {
    MeasuredRun one;
    one.id = id;
    one.group = "made up";
    one.source = "a paper";
    one.accelerator = "h100-sxm5-80gb";
    one.accelerators = 1024;
    one.model = "a model";
    one.framework = "nemo-2024";
    one.figures.push_back({"iteration_time_s", measured, predicted, std::nullopt});
    return one;
}

/// Names of elements in the order in which they are opened and closed must nest.
void expectNests(const std::string& text) {
    std::vector<std::string> open;
    const std::set<std::string> alone{"meta", "!DOCTYPE"};
    const std::regex tag("<(/?)([!A-Za-z0-9]+)[^>]*>");
    for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at) {
        const std::string name = (*at)[2];
        if (alone.count(name) > 0) continue;
        if ((*at)[1].length() == 0) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(open.back(), name) << at->position();
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

TEST(AccuracyReport, EveryLinkInsideLeadsSomewhere) {
    const std::string& text = shippedReport();
    const std::vector<std::string> ids = allOf(text, " id=\"([^\"]*)\"");
    const std::set<std::string> places(ids.begin(), ids.end());
    EXPECT_EQ(places.size(), ids.size());
    const std::vector<std::string> links = allOf(text, "href=\"#([^\"]*)\"");
    EXPECT_GT(links.size(), 4 * 600U); // each run by accelerator, model, framework and collection
    for (const std::string& link : links) EXPECT_TRUE(places.count(link) > 0) << link;
    expectNests(text);
}

TEST(AccuracyReport, NeedsNoOtherFile) {
    for (const char* what : {"<script", "<link", "<img", "src=", "@import", "url("}) EXPECT_EQ(shippedReport().find(what), std::string::npos) << what;
    EXPECT_NE(shippedReport().find("prefers-color-scheme: dark"), std::string::npos);
}

TEST(AccuracyReport, HasEachRunOnceAndTheWorstFirst) {
    const std::string& text = shippedReport();
    const std::size_t section = text.find("<h2 id=\"time\""), list = text.find("All runs, worst first", section), end = text.find("</table>", list);
    const std::string rows = text.substr(list, end - list);
    std::size_t measured = 0;
    const auto evidence = shippedEvidence();
    for (const MeasuredRun& one : evidence->runs) measured += measuredFigureOf(one, ErrorOf::time) ? 1 : 0;
    std::vector<double> errors;
    std::size_t count = 0;
    for (std::size_t at = rows.find("<tr id=\"time-"); at != std::string::npos; at = rows.find("<tr id=\"time-", at + 1), ++count) {
        const std::vector<std::string> cells = cellsOf(rows.substr(at, rows.find("</tr>", at) - at));
        ASSERT_EQ(cells.size(), 9U);
        const std::string& error = cells[7];
        if (error == "–") continue;
        const std::string minus = "−";
        errors.push_back(std::abs(std::atof(error.c_str() + (error.rfind(minus, 0) == 0 ? minus.size() : 0))));
    }
    EXPECT_EQ(count, measured);
    EXPECT_GT(errors.size(), 600U);
    EXPECT_TRUE(std::is_sorted(errors.rbegin(), errors.rend()));
}

TEST(AccuracyReport, SaysWhatWasNeverMeasured) {
    const std::vector<std::string> said = allOf(shippedReport(), "<p>No evidence: nothing was measured with ([^<]*)</p>");
    ASSERT_GE(said.size(), 3U);
    const ErrorGrouping groupings[]{ErrorGrouping::accelerator, ErrorGrouping::model, ErrorGrouping::framework};
    for (std::size_t i = 0; i < 3; ++i)
        for (const std::string& id : withoutEvidence(*shippedEvidence(), groupings[i], ErrorOf::time, catalog())) EXPECT_NE(said[i].find(id), std::string::npos) << id;
}

/// Three runs whose statistics anybody can work out: 10 % too slow, 20 % too fast, exact.
TEST(AccuracyReport, ItsNumbersAreThoseOfTheRuns) {
    const auto evidence = std::make_shared<const Evidence>(Evidence{{run("one", 10, 11.0), run("two", 10, 8.0), run("three", 10, 10.0), run("four", 10, std::nullopt)}});
    const std::string text = reportOf(evidence);
    // Runs, median, mean, 90th percentile (8/10 of the way from 10 to 20), worst, bias.
    const std::string row = "<td class=\"n\">4</td><td class=\"n\">10.0</td><td class=\"n\">10.0</td><td class=\"n\">18.0</td><td class=\"n\">20.0</td><td class=\"n\">−3.3</td>";
    EXPECT_NE(text.find("<td>h100-sxm5-80gb</td>" + row), std::string::npos);
    EXPECT_EQ(allOf(text, "<tr id=\"time-[0-9]+\"><td>([a-z]+)</td>"), (std::vector<std::string>{"two", "one", "three", "four"}));
    EXPECT_NE(text.find("<td>1,024 × h100-sxm5-80gb</td>"), std::string::npos);
    EXPECT_NE(text.find("h100-sxm5-80gb: 4 runs, worst first"), std::string::npos);
}

TEST(AccuracyReport, TextsOfRunsAreTextsAndNothingElse) {
    MeasuredRun one = run("<script>alert(\"x\")</script>", 1, 1.0);
    one.source = "Brown & Sons's \"paper\"";
    one.sourceUrl = "javascript:alert(1)";
    MeasuredRun other = run("b", 1, 1.0);
    other.sourceUrl = "https://example.org/?a=1&b=\"2\"";
    const std::string text = reportOf(std::make_shared<const Evidence>(Evidence{{one, other}}));
    EXPECT_EQ(text.find("<script"), std::string::npos);
    EXPECT_EQ(text.find("javascript:"), std::string::npos);
    EXPECT_NE(text.find("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"), std::string::npos);
    EXPECT_NE(text.find("<td>Brown &amp; Sons&#39;s &quot;paper&quot;</td>"), std::string::npos);
    EXPECT_NE(text.find("<a href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\">a paper</a>"), std::string::npos);
    expectNests(text);
}

TEST(AccuracyReport, OfNoEvidenceIsAPageToo) {
    const std::string text = reportOf(std::make_shared<const Evidence>());
    expectNests(text);
    EXPECT_NE(text.find("No evidence: nothing was measured with"), std::string::npos);
}

TEST(Html, NumbersAreTheSameEverywhere) {
    EXPECT_EQ(html::number(1234567.25, 1), "1,234,567.2");
    EXPECT_EQ(html::number(-0.04, 1), "0.0");
    EXPECT_EQ(html::number(-1234, 0), "−1,234");
    EXPECT_EQ(html::number(999, 0), "999");
    EXPECT_EQ(html::number(1.0 / 0.0, 0), "–");
}

} // namespace
} // namespace orrery
