// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/overview.hpp"

#include "widgets/timeline/raster.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double handleReach = 5; ///< px on both sides of a handle's line

} // namespace

std::vector<float> busyShare(const TimelineRows& rows, int width) {
    std::vector<float> share(static_cast<std::size_t>(std::max(width, 0)));
    std::vector<PixelColumn> columns;
    const Viewport whole = fitted(rows.duration, width);
    std::size_t counted = 0;
    for (const StageRows& stage : rows.stages) {
        for (const StreamRow& row : stage.streams) {
            if (row.kind != StreamKind::compute) continue;
            rasterBars(row.bars, whole, columns);
            for (std::size_t x = 0; x < share.size(); ++x) share[x] += columns[x].coverage;
            ++counted;
        }
    }
    for (float& one : share) one /= static_cast<float>(std::max<std::size_t>(counted, 1));
    return share;
}

void TimelineOverview::setRows(const TimelineRows* rows) {
    rows_ = rows;
    composedFor_.clear();
}

void TimelineOverview::compose(const Theme& theme, double devicePixelRatio) {
    const ThemeColors& colors = theme.colors();
    const QSize size = (QSizeF(area_.size()) * devicePixelRatio).toSize();
    const QString key = QStringLiteral("%1x%2 %3 %4").arg(size.width()).arg(size.height()).arg(colors.accent.name(), colors.field.name());
    if (key == composedFor_) return;
    composedFor_ = key;
    image_ = QImage(size, QImage::Format_RGB32);
    image_.fill(colors.background);
    const QRgb fill = blended(colors.background.rgb(), colors.accent.rgb(), 0.5F);
    const std::vector<float> share = busyShare(*rows_, size.width());
    for (int y = 0; y < size.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(image_.scanLine(y));
        const float level = static_cast<float>(size.height() - y) - 0.5F;
        for (int x = 0; x < size.width(); ++x)
            if (share[static_cast<std::size_t>(x)] * static_cast<float>(size.height()) > level) row[x] = fill;
    }
    image_.setDevicePixelRatio(devicePixelRatio);
}

double TimelineOverview::xOf(double time) const {
    return area_.left() + pixelAt(fitted(rows_ != nullptr ? rows_->duration : 1, area_.width()), time);
}

double TimelineOverview::timeAtX(double x) const {
    return timeAt(fitted(rows_ != nullptr ? rows_->duration : 1, area_.width()), x - area_.left());
}

void TimelineOverview::paint(QPainter& painter, const Theme& theme, const Viewport& viewport) {
    if (rows_ == nullptr || area_.isEmpty()) return;
    const ThemeColors& colors = theme.colors();
    compose(theme, painter.device()->devicePixelRatioF());
    painter.drawImage(area_.topLeft(), image_);
    const double from = xOf(viewport.from);
    const double to = std::max(xOf(viewport.to), from + 1);
    QColor veil = colors.panel;
    veil.setAlphaF(0.7F);
    painter.fillRect(QRectF(area_.left(), area_.top(), from - area_.left(), area_.height()), veil);
    painter.fillRect(QRectF(to, area_.top(), area_.right() + 1 - to, area_.height()), veil);
    painter.setPen(colors.line);
    painter.drawRect(area_.adjusted(0, 0, -1, -1));
    const bool whole = viewport.from <= 0 && viewport.to >= rows_->duration;
    if (whole) return;
    painter.fillRect(QRectF(std::round(from) - 1, area_.top(), 2, area_.height()), colors.accent);
    painter.fillRect(QRectF(std::round(to) - 1, area_.top(), 2, area_.height()), colors.accent);
}

TimelineOverview::Part TimelineOverview::partAt(const QPoint& position, const Viewport& viewport) const {
    if (rows_ == nullptr || !area_.contains(position)) return Part::outside;
    const double x = position.x();
    const double from = xOf(viewport.from);
    const double to = xOf(viewport.to);
    // A window too narrow for two handles and a middle is moved as one.
    const double reach = std::min(handleReach, (to - from) / 3);
    if (to - from >= 6) {
        if (std::abs(x - from) <= reach) return Part::from_handle;
        if (std::abs(x - to) <= reach) return Part::to_handle;
    }
    if (x < from - handleReach) return Part::before;
    if (x > to + handleReach) return Part::after;
    return Part::window;
}

} // namespace orrery
