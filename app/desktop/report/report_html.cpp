// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/report_html.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Plain enough for Qt's own reader of HTML, which sets the pages of the PDF.
const char* const looks = R"(
body { font-family: Inter, "Noto Sans", "DejaVu Sans", sans-serif; font-size: 10pt; color: #1a202c; }
h1 { font-size: 18pt; margin-bottom: 2pt; }
h2 { font-size: 13pt; margin-top: 18pt; }
p.subtitle { color: #5b6472; margin-top: 0; }
table { border-collapse: collapse; margin: 4pt 0; }
th { text-align: left; color: #5b6472; font-weight: 600; }
th, td { padding: 3px 14px 3px 0; border-bottom: 1px solid #e3e6eb; vertical-align: top; }
pre { font-family: "DejaVu Sans Mono", monospace; font-size: 8pt; white-space: pre-wrap; }
)";

/// A browser's window is as wide as it is; paper has margins of its own.
const char* const looksInWindow = R"(
body { max-width: 60em; margin: 2em auto; padding: 0 1em; }
svg { max-width: 100%; height: auto; }
)";

QString tableHtml(const ReportTable& table) {
    QString html = QStringLiteral("<table width=\"100%\"><tr>");
    for (const QString& column : table.columns) html += QStringLiteral("<th>%1</th>").arg(column.toHtmlEscaped());
    html += QStringLiteral("</tr>\n");
    for (const QStringList& row : table.rows) {
        html += QStringLiteral("<tr>");
        for (const QString& cell : row) html += QStringLiteral("<td>") + cell.toHtmlEscaped() + QStringLiteral("</td>");
        html += QStringLiteral("</tr>\n");
    }
    return html + QStringLiteral("</table>\n");
}

/// A drawing without the lines that only a file of its own begins with.
QString inlineSvg(const ReportChart& chart) {
    const QString text = QString::fromUtf8(chart.svg);
    return text.mid(std::max<qsizetype>(0, text.indexOf(QStringLiteral("<svg"))));
}

} // namespace

QString reportHtml(const Report& report, const QString& moreLooks, const ChartAsHtml& chartAsHtml) {
    QString html = QStringLiteral("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>%1</title>\n<style>%2</style></head>\n<body>\n<h1>%1</h1>\n<p class=\"subtitle\">%3</p>\n")
                       .arg(report.title.toHtmlEscaped(), QString::fromLatin1(looks) + moreLooks, report.subtitle.toHtmlEscaped());
    for (const ReportSection& section : report.sections) {
        html += QStringLiteral("<h2%1>").arg(section.charts.empty() ? QString() : QStringLiteral(" class=\"charts\"")) + section.heading.toHtmlEscaped() + QStringLiteral("</h2>\n");
        for (const QString& paragraph : section.paragraphs) html += QStringLiteral("<p>") + paragraph.toHtmlEscaped() + QStringLiteral("</p>\n");
        if (!section.table.isEmpty()) html += tableHtml(section.table);
        for (const ReportChart& chart : section.charts) html += chartAsHtml(chart) + u'\n';
        if (!section.listing.isEmpty()) html += QStringLiteral("<pre>") + section.listing.toHtmlEscaped() + QStringLiteral("</pre>\n");
    }
    return html + QStringLiteral("</body></html>\n");
}

QByteArray reportAsHtml(const Report& report) {
    QString html = reportHtml(report, QString::fromLatin1(looksInWindow), inlineSvg);
    const qsizetype end = html.lastIndexOf(QStringLiteral("</body>"));
    return html.insert(end, QStringLiteral("<p hidden=\"hidden\" id=\"orrery-report\">%1</p>\n").arg(report.mark)).toUtf8();
}

} // namespace orrery
