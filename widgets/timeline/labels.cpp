// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/labels.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

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

MarkedOperators::MarkedOperators(const Timeline& timeline, std::vector<bool> operators)
    : operators_(std::move(operators)), any_(std::find(operators_.begin(), operators_.end(), true) != operators_.end()) {
    if (!any_) return;
    const std::size_t segments = timeline.segments.size();
    compute_.resize(segments);
    tensor_.resize(segments);
    others_.resize(segments);
    for (std::size_t segment = 0; segment < segments; ++segment) {
        for (const SegmentEntry& entry : timeline.segments[segment].entries) {
            if (!contains(entry.op)) continue;
            const double end = fillsSpans(timeline) ? std::numeric_limits<double>::max() : entry.end; // drawn to the span's end
            others_[segment].push_back({entry.start, end});
            if (entry.stream == StreamKind::compute) compute_[segment].push_back({entry.start, end});
            if (entry.stream == StreamKind::within) tensor_[segment].push_back({entry.start, end});
        }
    }
}

const std::vector<std::vector<SegmentStretch>>& MarkedOperators::stretches(StreamKind row) const {
    if (row == StreamKind::compute) return compute_;
    return row == StreamKind::within ? tensor_ : others_;
}

std::vector<bool> operatorsNamed(const Timeline& timeline, std::string_view name, std::string_view phase) {
    std::vector<bool> byName(timeline.operators.size());
    std::vector<bool> byBoth(timeline.operators.size());
    bool both = false;
    if (name.empty()) return byName;
    for (std::size_t i = 0; i < timeline.operators.size(); ++i) {
        byName[i] = timeline.operators[i].op.name == name;
        byBoth[i] = byName[i] && (phase.empty() || toString(timeline.operators[i].op.phase) == phase);
        both |= byBoth[i];
    }
    return both ? byBoth : byName;
}

} // namespace orrery
