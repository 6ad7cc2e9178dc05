// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/labels.hpp"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

constexpr qsizetype mostCached = 8192; ///< a few MB; past it the texts of an earlier view are dropped
constexpr qsizetype fewestLetters = 4;
const QChar ellipsis(0x2026);

} // namespace

void BarLabels::setFont(const QFont& font, double devicePixelRatio) {
    if (font == font_ && devicePixelRatio == devicePixelRatio_ && height_ > 0) return;
    font_ = font;
    devicePixelRatio_ = devicePixelRatio;
    const QFontMetricsF metrics(font);
    height_ = metrics.height();
    ellipsisWidth_ = metrics.horizontalAdvance(ellipsis);
    advances_.clear();
    images_.clear();
}

const std::vector<float>& BarLabels::advances(const QString& text) {
    auto found = advances_.constFind(text);
    if (found == advances_.constEnd()) {
        if (advances_.size() > mostCached) advances_.clear();
        const QFontMetricsF metrics(font_);
        std::vector<float> widths;
        for (qsizetype length = 1; length <= text.size(); ++length)
            widths.push_back(static_cast<float>(metrics.horizontalAdvance(text, static_cast<int>(length))));
        found = advances_.insert(text, std::move(widths));
    }
    return found.value();
}

double BarLabels::widthOf(const QString& text) { return text.isEmpty() ? 0 : static_cast<double>(advances(text).back()); }

QString BarLabels::elided(const QString& text, double width) {
    if (text.isEmpty()) return {};
    const std::vector<float>& widths = advances(text);
    if (static_cast<double>(widths.back()) <= width) return text;
    const auto after = std::upper_bound(widths.begin(), widths.end(), static_cast<float>(width - ellipsisWidth_));
    const auto letters = static_cast<qsizetype>(after - widths.begin());
    return letters < fewestLetters ? QString() : text.left(letters) + ellipsis;
}

const QImage& BarLabels::image(const QString& text, QRgb ink) {
    const std::pair<QString, QRgb> key(text, ink);
    auto found = images_.constFind(key);
    if (found == images_.constEnd()) {
        if (images_.size() > mostCached) images_.clear();
        const QFontMetricsF metrics(font_);
        const QSizeF size(std::ceil(metrics.horizontalAdvance(text)) + 1, std::ceil(height_));
        QImage drawn((size * devicePixelRatio_).toSize(), QImage::Format_ARGB32_Premultiplied);
        drawn.setDevicePixelRatio(devicePixelRatio_);
        drawn.fill(Qt::transparent);
        QPainter painter(&drawn);
        painter.setFont(font_);
        painter.setPen(QColor::fromRgb(ink));
        painter.drawText(QPointF(0, metrics.ascent()), text);
        painter.end();
        found = images_.insert(key, drawn);
    }
    return found.value();
}

} // namespace orrery
