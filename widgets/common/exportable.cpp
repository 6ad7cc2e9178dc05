#include "widgets/common/exportable.hpp"

#include <QBuffer>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace orrery {

namespace {

constexpr int dotsPerInch = 96;  ///< so that a chart's pixel is the same length in every kind of file
constexpr double pngScale = 2.0; ///< sharp on dense screens and in print

struct ExportText {
    Q_DECLARE_TR_FUNCTIONS(ExportText)
};

QByteArray svg(const Exportable& chart, const QSizeF& size) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(dotsPerInch);
    generator.setSize(size.toSize());
    generator.setViewBox(QRectF({0, 0}, size));
    generator.setTitle(chart.exportName());
    QPainter painter(&generator);
    chart.renderChart(painter, QRectF({0, 0}, size));
    painter.end();
    return bytes;
}

QByteArray pdf(const Exportable& chart, const QSizeF& size) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(dotsPerInch);
    writer.setPageSize(QPageSize(size * 72.0 / dotsPerInch, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(chart.exportName());
    QPainter painter(&writer);
    chart.renderChart(painter, QRectF({0, 0}, size));
    painter.end();
    return bytes;
}

QByteArray png(const Exportable& chart, const QSizeF& size) {
    QImage image((size * pngScale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(pngScale);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    chart.renderChart(painter, QRectF({0, 0}, size));
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

} // namespace

QString exportChart(const Exportable& chart, const QString& fileName, const QSizeF& size) {
    const QString native = QDir::toNativeSeparators(fileName);
    const QString ending = QFileInfo(fileName).suffix().toLower();
    if (QFileInfo(fileName).isDir())
        return ExportText::tr("“%1” is a folder. Give the name of a file inside it.").arg(native);

    QByteArray bytes;
    if (ending == QLatin1String("svg")) bytes = svg(chart, size);
    else if (ending == QLatin1String("pdf")) bytes = pdf(chart, size);
    else if (ending == QLatin1String("png")) bytes = png(chart, size);
    else if (ending == QLatin1String("csv")) bytes = chart.csv();
    else return ExportText::tr("“%1” does not end in a kind of file a chart can be written as. End its name in .svg, .pdf, .png or .csv.").arg(native);
    if (bytes.isEmpty()) return ExportText::tr("“%1” was not written: the chart has nothing to draw yet.").arg(native);

    QSaveFile file(fileName);
    const auto failed = [&] { return ExportText::tr("“%1” could not be written: %2. What was there before is unchanged.").arg(native, file.errorString()); };
    if (!file.open(QIODevice::WriteOnly)) return failed();
    if (file.write(bytes) != bytes.size() || !file.commit()) return failed();
    return {};
}

} // namespace orrery
