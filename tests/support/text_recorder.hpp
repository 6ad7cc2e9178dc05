// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/exportable.hpp"

#include <QPolygonF>
#include <QString>

#include <functional>
#include <vector>

class QPainter;

namespace orrery::test {

/// A text as it was painted: what, and the area its letters may take on the device.
struct DrawnText {
    QString text;
    QPolygonF area;
    QPointF centre() const { return area.boundingRect().center(); }
};

/// Every text that painting puts on a device of this size, wherever it comes from (Qt Charts, QCustomPlot, ours): the
/// device takes down what reaches its paint engine, so nothing depends on what a chart says of itself.
std::vector<DrawnText> recordTexts(const QSize& size, const std::function<void(QPainter&)>& paint);
std::vector<DrawnText> recordTexts(const Exportable& chart, const QSize& size);

/// What is wrong with the labels: cut by the device's edge, or lying on one another. Empty when nothing is.
QString labelFaults(const std::vector<DrawnText>& texts, const QSize& size);

} // namespace orrery::test
