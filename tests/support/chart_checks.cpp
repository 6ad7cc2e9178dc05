// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/chart_checks.hpp"

#include "core/base/text.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QTemporaryDir>
#include <QXmlStreamReader>

namespace orrery::test {
namespace {

QByteArray contents(const QString& file) {
    QFile handle(file);
    return handle.open(QIODevice::ReadOnly) ? handle.readAll() : QByteArray();
}

} // namespace

QString exportFaults(const Exportable& chart) {
    const QTemporaryDir folder;
    const auto write = [&](const char* ending) {
        const QString file = folder.filePath(chart.exportName() + QLatin1String(ending));
        const QString error = exportChart(chart, file);
        return std::pair(error, contents(file));
    };
    const auto [svgError, svg] = write(".svg");
    if (!svgError.isEmpty()) return svgError;
    if (svg.size() > 1'000'000) return QStringLiteral("the SVG has %1 bytes").arg(svg.size());
    QXmlStreamReader reader(svg);
    int drawings = 0, texts = 0;
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement) continue;
        const auto name = reader.name();
        if (name == QLatin1String("text")) ++texts;
        if (name == QLatin1String("path") || name == QLatin1String("polyline") || name == QLatin1String("rect") || name == QLatin1String("polygon")) ++drawings;
        if (name == QLatin1String("image")) return QStringLiteral("the SVG holds pixels");
    }
    if (reader.hasError()) return QStringLiteral("the SVG is no XML: ") + reader.errorString();
    if (drawings < 8 || texts < 5) return QStringLiteral("the SVG has only %1 shapes and %2 texts").arg(drawings).arg(texts);

    const auto [pdfError, pdf] = write(".pdf");
    if (!pdfError.isEmpty()) return pdfError;
    if (!pdf.startsWith("%PDF-") || pdf.size() < 2000) return QStringLiteral("the PDF is none, or empty");

    const auto [pngError, png] = write(".png");
    if (!pngError.isEmpty()) return pngError;
    const QImage image = QImage::fromData(png);
    if (image.isNull()) return QStringLiteral("the PNG can't be read");
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    if (colours.size() < 5) return QStringLiteral("the PNG shows only %1 colours").arg(colours.size());

    const auto [csvError, csv] = write(".csv");
    if (!csvError.isEmpty()) return csvError;
    return csv.toStdString() == csvWithoutFormulas(chart.csv().toStdString()) ? QString() : QStringLiteral("the CSV file differs");
}

QList<QList<QByteArray>> parseCsv(const QByteArray& text) {
    QList<QList<QByteArray>> lines;
    QList<QByteArray> line;
    QByteArray cell;
    bool quoted = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"') cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"') cell += text[++i];
            else quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            line << cell;
            cell.clear();
        } else if (c == '\n') {
            line << cell;
            cell.clear();
            lines << line;
            line.clear();
        } else {
            cell += c;
        }
    }
    return lines;
}

} // namespace orrery::test
