// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/load_figures.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/serving/load_words.hpp"

#include <QPainter>
#include <QStringList>

#include <algorithm>

namespace orrery {

LoadFigures::LoadFigures(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setFixedHeight(fixedHeight);
    setAccessibleName(tr("Figures of this load"));
    connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void LoadFigures::setPoint(const std::optional<LoadPoint>& point) {
    figures_.clear();
    if (point) {
        const ServingMetrics& served = point->served;
        const auto both = [](const Distribution& values) { return tr("p50 %1, p99 %2").arg(readableTime(values.p50).text(), readableTime(values.p99).text()); };
        figures_.push_back({tr("TTFT"), both(served.ttft)});
        figures_.push_back({tr("TPOT"), both(served.tpot)});
        if (served.goodput) figures_.push_back({tr("Goodput"), tr("%1 requests/s").arg(grouped(*served.goodput, *served.goodput < 10 ? 2 : 1))});
        figures_.push_back({tr("KV cache in use"), cacheText(*point)});
        figures_.push_back({tr("Tokens/s per accelerator"), grouped(point->outputTokensPerSecondPerAccelerator, point->outputTokensPerSecondPerAccelerator < 10 ? 2 : 0)});
    }
    setAccessibleDescription(words());
    setToolTip(words());
    update();
}

QString LoadFigures::words() const {
    QStringList all;
    for (const LoadFigure& figure : figures_) all << figure.name + QLatin1Char(' ') + figure.value;
    return all.join(QStringLiteral("; "));
}

void LoadFigures::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    constexpr double margin = 12, gap = 18;
    const QFontMetricsF names(theme_.axisFont()), values(theme_.secondaryFont());
    double left = margin;
    for (const LoadFigure& figure : figures_) {
        const double width = std::max(names.horizontalAdvance(figure.name), values.horizontalAdvance(figure.value)) + 2;
        if (left > margin && left + width > this->width() - margin) return;
        const double room = std::min(width, this->width() - margin - left);
        painter.setFont(theme_.axisFont());
        painter.setPen(theme_.colors().secondary);
        painter.drawText(QRectF(left, 2, room, 15), Qt::AlignLeft | Qt::AlignVCenter, names.elidedText(figure.name, Qt::ElideRight, room));
        painter.setFont(theme_.secondaryFont());
        painter.setPen(theme_.colors().ink);
        painter.drawText(QRectF(left, 17, room, 16), Qt::AlignLeft | Qt::AlignVCenter, values.elidedText(figure.value, Qt::ElideRight, room));
        left += width + gap;
    }
}

} // namespace orrery
