// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/report.hpp"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <functional>

namespace orrery {

using ChartAsHtml = std::function<QString(const ReportChart&)>;

/// The report as a whole HTML document with `moreLooks` (CSS) beside its own, its charts as `chartAsHtml` says.
QString reportHtml(const Report& report, const QString& moreLooks, const ChartAsHtml& chartAsHtml);

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
    QString html = QStringLiteral("<!DOCTYPE html>\n<html lang=\"%4\"><head><meta charset=\"utf-8\"/><title>%1</title>\n<style>%2</style></head>\n<body>\n<h1>%1</h1>\n<p class=\"subtitle\">%3</p>\n")
                       .arg(report.title.toHtmlEscaped(), QString::fromLatin1(looks) + moreLooks, report.subtitle.toHtmlEscaped(), QCoreApplication::translate("WriteText", "en", "the language of the translation as HTML names it"));
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

namespace {

/// Words are words: what Markdown would read as a mark is marked itself.
QString escaped(const QString& text) {
    QString safe;
    for (const QChar letter : text) {
        if (QStringLiteral("\\`*_[]<>|#").contains(letter)) safe += u'\\';
        safe += letter == u'\n' ? QChar(u' ') : letter;
    }
    return safe;
}

QString rowText(const QStringList& cells) {
    QString line = QStringLiteral("|");
    for (const QString& cell : cells) line += u' ' + escaped(cell) + QStringLiteral(" |");
    return line + u'\n';
}

QString tableText(const ReportTable& table) {
    QString text = rowText(table.columns) + u'|';
    for (qsizetype i = 0; i < table.columns.size(); ++i) text += QStringLiteral(" --- |");
    text += u'\n';
    for (const QStringList& row : table.rows) text += rowText(row);
    return text + u'\n';
}

} // namespace

QString reportChartFile(const QString& stem, const ReportChart& chart) { return stem + u'-' + chart.name + QStringLiteral(".svg"); }

QByteArray reportAsMarkdown(const Report& report, const QString& stem) {
    QString text = QStringLiteral("# ") + escaped(report.title) + QStringLiteral("\n\n") + escaped(report.subtitle) + QStringLiteral("\n\n");
    for (const ReportSection& section : report.sections) {
        text += QStringLiteral("## ") + escaped(section.heading) + QStringLiteral("\n\n");
        for (const QString& paragraph : section.paragraphs) text += escaped(paragraph) + QStringLiteral("\n\n");
        if (!section.table.isEmpty()) text += tableText(section.table);
        for (const ReportChart& chart : section.charts)
            text += QStringLiteral("![%1](<%2>)\n\n").arg(escaped(chart.title), reportChartFile(stem, chart));
        if (!section.listing.isEmpty()) text += QStringLiteral("````text\n") + section.listing + QStringLiteral("\n````\n\n");
    }
    // A link that nothing points to: no reader shows it.
    text += QStringLiteral("[orrery-report]: <%1>\n").arg(report.mark);
    return text.toUtf8();
}

namespace {

constexpr int dotsPerInch = 96; ///< what the text is set in
constexpr int columnWidth = 680;
constexpr double footerHeight = 30;
constexpr double leastAfterHeading = 60; ///< px that follow a heading on its page: it heads nothing at the foot of one
const QString chartUrl = QStringLiteral("chart:");

/// A chart's place in the text, in the coordinates of all pages below one another.
struct PlacedChart {
    const ReportChart* chart;
    QRectF place;
};

/// The text has room where a chart goes; its lines are drawn there afterwards, as lines.
std::vector<PlacedChart> placedCharts(const QTextDocument& document, const Report& report) {
    std::vector<PlacedChart> placed;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto piece = block.begin(); !piece.atEnd(); ++piece) {
            const QTextImageFormat format = piece.fragment().charFormat().toImageFormat();
            if (!format.isValid() || !format.name().startsWith(chartUrl)) continue;
            for (const ReportSection& section : report.sections)
                for (const ReportChart& chart : section.charts)
                    if (format.name() == chartUrl + chart.name) placed.push_back({&chart, QRectF(document.documentLayout()->blockBoundingRect(block).topLeft(), QSizeF(format.width(), format.height()))});
        }
    return placed;
}

/// A heading that a page's end cuts, or leaves alone at its foot, begins the next page.
void keepHeadings(QTextDocument& document, double pageHeight) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0) continue;
        const QRectF lines = document.documentLayout()->blockBoundingRect(block);
        const double end = (std::floor(lines.top() / pageHeight) + 1) * pageHeight;
        if (lines.bottom() + leastAfterHeading <= end || lines.top() <= end - pageHeight + 1) continue;
        QTextBlockFormat format = block.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(block).setBlockFormat(format);
    }
}

/// Draws what of the document lies on the page, and the page's number below it.
void drawPage(QPainter& painter, QTextDocument& document, const std::vector<PlacedChart>& charts, int page, const QSizeF& size) {
    const QRectF shown(0, page * size.height(), size.width(), size.height());
    painter.save();
    painter.translate(0, -shown.top());
    document.drawContents(&painter, shown);
    for (const PlacedChart& placed : charts) {
        if (!shown.intersects(placed.place)) continue;
        QSvgRenderer drawing(placed.chart->svg);
        drawing.render(&painter, placed.place);
    }
    painter.restore();
    painter.drawText(QRectF(0, size.height(), size.width(), footerHeight), Qt::AlignRight | Qt::AlignBottom, QString::number(page + 1));
}

/// The title, and the report's mark in a place where no reader shows it (XMP, ISO 16684-1).
QByteArray metadataOf(const Report& report) {
    return QStringLiteral("<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
                          "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:report=\"urn:orrery:report\"><dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">%1</rdf:li></rdf:Alt></dc:title>"
                          "<report:mark>%2</report:mark></rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n")
        .arg(report.title.toHtmlEscaped(), report.mark)
        .toUtf8();
}

} // namespace

QByteArray reportAsPdf(const Report& report) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(report.title);
    writer.setDocumentXmpMetadata(metadataOf(report));
    writer.setResolution(dotsPerInch);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(15, 15, 15, 12), QPageLayout::Millimeter);

    QTextDocument document;
    document.setDocumentMargin(0);
    document.documentLayout()->setPaintDevice(&writer); // letters as wide as they will be drawn
    const QSizeF size(columnWidth, writer.height() - footerHeight);
    document.setPageSize(size);
    QImage nothing(1, 1, QImage::Format_ARGB32_Premultiplied);
    nothing.fill(Qt::transparent);
    for (const ReportSection& section : report.sections)
        for (const ReportChart& chart : section.charts) document.addResource(QTextDocument::ImageResource, QUrl(chartUrl + chart.name), nothing);
    document.setHtml(reportHtml(report, QStringLiteral("h2.charts { page-break-before: always; }"), [](const ReportChart& chart) {
        const QSizeF drawn = QSvgRenderer(chart.svg).viewBoxF().size();
        const int height = drawn.width() > 0 ? static_cast<int>(std::lround(drawn.height() * columnWidth / drawn.width())) : 0;
        return QStringLiteral("<p><img src=\"%1\" width=\"%2\" height=\"%3\"></p>").arg(chartUrl + chart.name).arg(columnWidth).arg(height);
    }));
    keepHeadings(document, size.height());
    const std::vector<PlacedChart> charts = placedCharts(document, report);
    QPainter painter(&writer);
    for (int page = 0; page < document.pageCount(); ++page) {
        if (page > 0) writer.newPage();
        drawPage(painter, document, charts, page, size);
    }
    painter.end();
    return bytes;
}

namespace {

struct WriteText {
    Q_DECLARE_TR_FUNCTIONS(WriteText)
};

QString save(const QString& fileName, const QByteArray& bytes) {
    QSaveFile file(fileName);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
    return WriteText::tr("“%1” could not be written: %2. What was there before is unchanged.").arg(QDir::toNativeSeparators(fileName), file.errorString());
}

} // namespace

QString writeReport(const Report& report, const QString& fileName) {
    const QFileInfo info(fileName);
    const QString ending = info.suffix().toLower();
    if (ending == QLatin1String("html")) return save(fileName, reportAsHtml(report));
    if (ending == QLatin1String("pdf")) return save(fileName, reportAsPdf(report));
    if (ending != QLatin1String("md"))
        return WriteText::tr("“%1” does not end in a kind of file a report can be written as. End its name in .pdf, .html or .md.").arg(QDir::toNativeSeparators(fileName));
    // The charts first: a text never names a file that is not there.
    for (const ReportSection& section : report.sections)
        for (const ReportChart& chart : section.charts)
            if (QString error = save(info.dir().filePath(reportChartFile(info.completeBaseName(), chart)), chart.svg); !error.isEmpty()) return error;
    return save(fileName, reportAsMarkdown(report, info.completeBaseName()));
}

} // namespace orrery
