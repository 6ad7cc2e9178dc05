// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"
#include "widgets/timeline/columns.hpp"
#include "widgets/timeline/viewport.hpp"

#include <QImage>
#include <QPainter>
#include <QRect>

namespace orrery {

/// The strip above the axis: how busy the stages are over the whole iteration, and which part of it is shown.
class TimelineOverview {
public:
    enum class Part { outside,
                      before,
                      from_handle,
                      window,
                      to_handle,
                      after };

    void setRows(const TimelineRows* rows); ///< not owned
    void setArea(const QRect& area) { area_ = area; }
    const QRect& area() const { return area_; }

    void paint(QPainter& painter, const Theme& theme, const Viewport& viewport);

    Part partAt(const QPoint& position, const Viewport& viewport) const;
    double timeAtX(double x) const;
    double xOf(double time) const;

private:
    void compose(const Theme& theme, double devicePixelRatio);

    const TimelineRows* rows_ = nullptr;
    QRect area_;
    QImage image_;
    QString composedFor_; ///< what the image was made for: width, colours
};

/// Share of the stages that compute at each pixel of the whole iteration, 0 to 1.
std::vector<float> busyShare(const TimelineRows& rows, int width);

} // namespace orrery
