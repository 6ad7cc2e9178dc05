// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/report.hpp"
#include "app/desktop/report/report_html.hpp"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>
#include <QUrl>

namespace orrery {
namespace {

constexpr int dotsPerInch = 96; ///< what the text is set in
constexpr int columnWidth = 680;
constexpr double footerHeight = 30;

/// Draws what of the document lies on the page, and the page's number below it.
void drawPage(QPainter& painter, QTextDocument& document, int page, const QSizeF& size) {
    painter.save();
    painter.translate(0, -page * size.height());
    document.drawContents(&painter, QRectF(0, page * size.height(), size.width(), size.height()));
    painter.restore();
    painter.drawText(QRectF(0, size.height(), size.width(), footerHeight), Qt::AlignRight | Qt::AlignBottom, QString::number(page + 1));
}

} // namespace

QByteArray reportAsPdf(const Report& report) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(report.title);
    writer.setResolution(dotsPerInch);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(15, 15, 15, 12), QPageLayout::Millimeter);

    QTextDocument document;
    document.setDocumentMargin(0);
    document.documentLayout()->setPaintDevice(&writer); // letters as wide as they will be drawn
    const QSizeF size(columnWidth, writer.height() - footerHeight);
    document.setPageSize(size);
    for (const ReportSection& section : report.sections)
        for (const ReportChart& chart : section.charts) document.addResource(QTextDocument::ImageResource, QUrl(QStringLiteral("chart:") + chart.name), chart.image);
    document.setHtml(reportHtml(report, QStringLiteral("h2.charts { page-break-before: always; }"), [](const ReportChart& chart) {
        const int height = chart.image.width() > 0 ? chart.image.height() * columnWidth / chart.image.width() : 0;
        return QStringLiteral("<p><img src=\"chart:%1\" width=\"%2\" height=\"%3\"></p>").arg(chart.name).arg(columnWidth).arg(height);
    }));
    QPainter painter(&writer);
    for (int page = 0; page < document.pageCount(); ++page) {
        if (page > 0) writer.newPage();
        drawPage(painter, document, page, size);
    }
    painter.end();
    return bytes;
}

} // namespace orrery
