// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/report.hpp"
#include "app/desktop/report/report_html.hpp"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>

#include <cmath>

namespace orrery {
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

} // namespace orrery
