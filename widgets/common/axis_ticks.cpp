// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/axis_ticks.hpp"

#include <QFontMetricsF>
#include <cmath>

namespace orrery {

double roundTickStep(double span, int ticks) {
    if (!(span > 0) || ticks < 1) return 1;
    const double least = span / ticks;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

void drawFitting(QPainter& painter, const QRectF& box, Qt::Alignment alignment, const QFont& font, const QStringList& texts) {
    const QFontMetricsF metrics(font);
    QString text = texts.isEmpty() ? QString() : texts.back();
    for (const QString& one : texts)
        if (metrics.horizontalAdvance(one) <= box.width()) {
            text = one;
            break;
        }
    QFont letters = font;
    if (const double width = metrics.horizontalAdvance(text); width > box.width() && width > 0) {
        constexpr double air = 0.97; // letters of another size are not exactly in proportion
        if (font.pointSizeF() > 0) letters.setPointSizeF(font.pointSizeF() * air * box.width() / width);
        else letters.setPixelSize(qMax(1, static_cast<int>(font.pixelSize() * air * box.width() / width)));
    }
    painter.save();
    painter.setFont(letters);
    painter.drawText(box, static_cast<int>(alignment), text);
    painter.restore();
}

} // namespace orrery
