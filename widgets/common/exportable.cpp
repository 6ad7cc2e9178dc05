// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/exportable.hpp"

#include "core/base/text.hpp"
#include "widgets/common/chart_scripts.hpp"
#include "widgets/common/panel_header.hpp"

#include <QBuffer>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QMarginsF>
#include <QMimeData>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QScreen>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>
#include <optional>

namespace orrery {
namespace {

constexpr double headingMargin = 12; ///< px at the sides, as in a panel's first line

struct ExportText {
    Q_DECLARE_TR_FUNCTIONS(ExportText)
};

ChartHeading headingFor(const Exportable& chart, const ExportFormat& format) {
    if (!format.title) return chart.heading();
    return {*format.title, {}};
}

/// Fonts have points, and a screen's resolution decides how many pixels those are: a file of the same resolution has letters
/// of the size that the chart measured.
double screenDotsPerInch() {
    const QScreen* screen = QGuiApplication::primaryScreen();
    return screen != nullptr ? screen->logicalDotsPerInchY() : ExportFormat::pixelsPerInch;
}

/// Draws on a device that has `dotsPerPixel` of its units for each pixel of the paper's size.
void draw(const Exportable& chart, const ExportFormat& format, QPainter& painter, double dotsPerPixel) {
    const double scale = format.scale() * dotsPerPixel;
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    if (std::abs(scale - 1) > 1e-9) painter.scale(scale, scale);
    // Before the colours are lent: a chart may look up what it is about to show, and others hear of that.
    const ChartHeading heading = headingFor(chart, format);
    std::optional<ColoursForDrawing> colours;
    if (format.colours) colours.emplace(chart.chartTheme(), *format.colours);
    chart.renderChart(painter, QRectF({0, 0}, format.layoutSize()), heading);
}

QByteArray pdf(const Exportable& chart, const ExportFormat& format) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const double dots = screenDotsPerInch() / ExportFormat::pixelsPerInch;
    QPdfWriter writer(&buffer);
    writer.setResolution(static_cast<int>(std::lround(screenDotsPerInch())));
    writer.setPageSize(QPageSize(format.size * 72.0 / ExportFormat::pixelsPerInch, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(headingFor(chart, format).title.isEmpty() ? chart.exportName() : headingFor(chart, format).title);
    writer.setCreator(writtenBy());
    QPainter painter(&writer);
    draw(chart, format, painter, dots);
    painter.end();
    return bytes;
}

QByteArray png(const Exportable& chart, const ExportFormat& format) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QImage image = chartImage(chart, format);
    image.setText(QStringLiteral("Software"), writtenBy());
    image.save(&buffer, "PNG");
    return bytes;
}

/// For another tool; nothing where the chart has no plot, or no numbers.
QByteArray script(const Exportable& chart, const ExportFormat& format, const QString& ending) {
    PlotData data = plotDataOf(chart.asPlot(), chart.csv());
    if (data.series.empty()) return {};
    const ScriptedPlot plot = scriptedPlot(std::move(data), headingFor(chart, format).title, format);
    return ending == QLatin1String("tex") ? plotAsTex(plot) : ending == QLatin1String("py") ? plotAsPython(plot)
                                                                                            : plotAsVegaLite(plot);
}

QString nothingToWrite(const Exportable& chart, const QString& native) {
    const QString why = chart.whyNothing();
    return why.isEmpty() ? QString() : ExportText::tr("“%1” was not written: the chart has nothing to draw yet. %2").arg(native, why);
}

} // namespace

void Exportable::renderChart(QPainter& painter, const QRectF& area, const ChartHeading& heading) const {
    painter.save();
    const Theme& theme = chartTheme();
    painter.fillRect(area, theme.colors().panel);
    const bool silent = heading.title.isEmpty() && heading.subtitle.isEmpty();
    double top = silent ? 6 : PanelHeader::lineHeight;
    const QFontMetricsF titles(theme.titleFont()), subtitles(theme.secondaryFont());
    const double room = area.width() - 2 * headingMargin;
    const bool isNarrow = !silent && titles.horizontalAdvance(heading.title) + 10 + subtitles.horizontalAdvance(heading.subtitle) > room;
    if (isNarrow) {
        // In a narrow column the heading takes the lines that it needs: on paper nothing tells what was cut.
        double y = area.top() + 5;
        const auto paragraph = [&](const QString& text, const QFont& font, const QFontMetricsF& metrics, const QColor& ink) {
            if (text.isEmpty()) return;
            const QRectF box = metrics.boundingRect(QRectF(area.left() + headingMargin, y, room, 1e4), Qt::AlignLeft | Qt::TextWordWrap, text);
            painter.setFont(font);
            painter.setPen(ink);
            painter.drawText(QRectF(box.topLeft(), QSizeF(room, box.height())), Qt::AlignLeft | Qt::TextWordWrap, text);
            y = box.bottom() + 1;
        };
        paragraph(heading.title, theme.titleFont(), titles, theme.colors().ink);
        paragraph(heading.subtitle, theme.secondaryFont(), subtitles, theme.colors().secondary);
        top = y - area.top() + 3;
    } else if (!silent) {
        const QRectF line(area.left() + headingMargin, area.top(), area.width() - 2 * headingMargin, top);
        PanelHeader::draw(painter, line, theme, heading.title, heading.subtitle);
    }
    renderBody(painter, area.adjusted(0, top, 0, 0));
    painter.restore();
}

QByteArray chartSvg(const Exportable& chart, const ExportFormat& format) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const double dots = screenDotsPerInch() / ExportFormat::pixelsPerInch;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(std::lround(screenDotsPerInch())));
    generator.setSize((format.size * dots).toSize());
    generator.setViewBox(QRectF({0, 0}, format.size * dots));
    generator.setTitle(headingFor(chart, format).title.isEmpty() ? chart.exportName() : headingFor(chart, format).title);
    generator.setDescription(writtenBy());
    QPainter painter(&generator);
    draw(chart, format, painter, dots);
    painter.end();
    return bytes;
}

QImage chartImage(const Exportable& chart, const ExportFormat& format) {
    const double perPixel = format.dotsPerInch / ExportFormat::pixelsPerInch;
    QImage image((format.size * perPixel).toSize(), QImage::Format_ARGB32_Premultiplied);
    // A painter does not heed a ratio below 1.
    const double dense = std::max(1.0, perPixel);
    image.setDevicePixelRatio(dense);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    draw(chart, format, painter, perPixel / dense);
    painter.end();
    // So that the picture has the paper's size where it is placed. Only now: it would change the size of letters.
    image.setDevicePixelRatio(1);
    const int dotsPerMetre = static_cast<int>(std::lround(format.dotsPerInch / 0.0254));
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    return image;
}

QMimeData* chartForClipboard(const Exportable& chart, const ExportFormat& format) {
    if (!chart.whyNothing().isEmpty()) return nullptr;
    auto* mime = new QMimeData;
    mime->setImageData(chartImage(chart, format));
    mime->setData(QStringLiteral("image/svg+xml"), chartSvg(chart, format));
    mime->setData(QStringLiteral("application/pdf"), pdf(chart, format));
    return mime;
}

const QStringList& chartEndings() {
    static const QStringList endings{"svg", "pdf", "png", "csv", "tex", "vl.json", "py"};
    return endings;
}

QString chartEndingOf(const QString& fileName) {
    for (const QString& ending : chartEndings())
        if (fileName.endsWith(u'.' + ending, Qt::CaseInsensitive)) return ending;
    return {};
}

bool canWrite(const Exportable& chart, const QString& ending) {
    if (!chart.whyNothing().isEmpty()) return false;
    const bool drawn = QStringList{"svg", "pdf", "png", "csv"}.contains(ending);
    return drawn || !plotDataOf(chart.asPlot(), chart.csv()).series.empty();
}

QString exportChart(const Exportable& chart, const QString& fileName, const ExportFormat& format) {
    const QString native = QDir::toNativeSeparators(fileName);
    const QString ending = chartEndingOf(fileName);
    if (QFileInfo(fileName).isDir())
        return ExportText::tr("“%1” is a folder. Give the name of a file inside it.").arg(native);
    if (ending.isEmpty()) return ExportText::tr("“%1” does not end in a kind of file a chart can be written as. End its name in .svg, .pdf, .png, .csv, .tex, .vl.json or .py.").arg(native);
    if (QString nothing = nothingToWrite(chart, native); !nothing.isEmpty()) return nothing;

    QByteArray bytes;
    if (ending == QLatin1String("svg")) bytes = chartSvg(chart, format);
    else if (ending == QLatin1String("pdf")) bytes = pdf(chart, format);
    else if (ending == QLatin1String("png")) bytes = png(chart, format);
    else if (ending != QLatin1String("csv")) bytes = script(chart, format, ending);
    else bytes = QByteArray::fromStdString(csvWithoutFormulas(chart.csv().toStdString()));
    if (bytes.isEmpty() && chart.asPlot().mark == ChartPlot::Mark::none) return ExportText::tr("“%1” was not written: this chart is a drawing, and no other tool plots it from numbers. Write .svg, .pdf, .png or .csv.").arg(native);
    if (bytes.isEmpty()) return ExportText::tr("“%1” was not written: the chart has nothing to draw yet.").arg(native);

    QSaveFile file(fileName);
    const auto failed = [&] { return ExportText::tr("“%1” could not be written: %2. What was there before is unchanged.").arg(native, file.errorString()); };
    if (!file.open(QIODevice::WriteOnly)) return failed();
    if (file.write(bytes) != bytes.size() || !file.commit()) return failed();
    return {};
}

} // namespace orrery
