// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/export/export_settings.hpp"

#include "app/desktop/manners/theme_choice.hpp"

#include <QRegularExpression>

#include <algorithm>

namespace orrery {
namespace {

constexpr double smallestLength = 0.5 * ExportFormat::pixelsPerInch, largestLength = 200 * ExportFormat::pixelsPerInch;

} // namespace

double pixelsPer(LengthUnit unit) {
    switch (unit) {
    case LengthUnit::inches: return ExportFormat::pixelsPerInch;
    case LengthUnit::millimetres: return ExportFormat::pixelsPerInch / 25.4;
    case LengthUnit::pixels: return 1;
    }
    return 1;
}

QString unitSign(LengthUnit unit) {
    switch (unit) {
    case LengthUnit::inches: return QStringLiteral("in");
    case LengthUnit::millimetres: return QStringLiteral("mm");
    case LengthUnit::pixels: return QStringLiteral("px");
    }
    return {};
}

std::optional<double> lengthFrom(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*([0-9]+(?:\\.[0-9]+)?)\\s*(in|mm|cm|pt|px)\\s*$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    const QString unit = match.captured(2);
    const double perUnit = unit == QLatin1String("in")   ? ExportFormat::pixelsPerInch
                           : unit == QLatin1String("mm") ? ExportFormat::pixelsPerInch / 25.4
                           : unit == QLatin1String("cm") ? ExportFormat::pixelsPerInch / 2.54
                           : unit == QLatin1String("pt") ? ExportFormat::pixelsPerInch / 72
                                                         : 1;
    const double pixels = match.captured(1).toDouble() * perUnit;
    return pixels >= smallestLength && pixels <= largestLength ? std::optional(pixels) : std::nullopt;
}

std::optional<QSizeF> sizeFrom(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^([0-9]{2,5})x([0-9]{2,5})$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    const QSizeF size(match.captured(1).toInt(), match.captured(2).toInt());
    const bool sensible = size.width() >= 200 && size.height() >= 150 && size.width() <= 20000 && size.height() <= 20000;
    return sensible ? std::optional(size) : std::nullopt;
}

ExportFormat storedExportFormat(const QSettings& settings) {
    ExportFormat format;
    const QSizeF size = settings.value("export/size", format.size).toSizeF();
    if (size.width() >= smallestLength && size.height() >= smallestLength && size.width() <= largestLength && size.height() <= largestLength) format.size = size;
    format.pointSize = std::clamp(settings.value("export/point_size", 0.0).toDouble(), 0.0, 72.0);
    format.dotsPerInch = std::clamp(settings.value("export/dots_per_inch", format.dotsPerInch).toDouble(), 36.0, 2400.0);
    const QString colours = settings.value("export/colours", QStringLiteral("light")).toString();
    if (const auto choice = themeFromName(colours); choice && *choice != ThemeChoice::system) format.colours = variantFor(*choice, false);
    return format;
}

void storeExportFormat(QSettings& settings, const ExportFormat& format) {
    settings.setValue("export/size", format.size);
    settings.setValue("export/point_size", format.pointSize);
    settings.setValue("export/dots_per_inch", format.dotsPerInch);
    QString colours = themeName(ThemeChoice::system); // as the window
    for (const ThemeChoice choice : themeChoices())
        if (choice != ThemeChoice::system && format.colours && variantFor(choice, false) == *format.colours) colours = themeName(choice);
    settings.setValue("export/colours", colours);
}

} // namespace orrery
