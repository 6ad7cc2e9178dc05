// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_memory.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QPainter>

#include <algorithm>

namespace orrery {

CompareMemory::CompareMemory(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

const StageMemory* CompareMemory::peakOf(const Result& result) {
    const auto& stages = result.memory.stages;
    const auto most = std::max_element(stages.begin(), stages.end(), [](const StageMemory& a, const StageMemory& b) { return a.peakBytes < b.peakBytes; });
    return most == stages.end() ? nullptr : &*most;
}

void CompareMemory::setCompared(std::vector<ComparedScenario> scenarios, std::size_t shown) {
    scenarios_ = std::move(scenarios);
    std::erase_if(scenarios_, [](const ComparedScenario& one) { return !one.result || !peakOf(*one.result); });
    shown_ = std::min(shown, scenarios_.empty() ? 0 : scenarios_.size() - 1);
    QStringList words;
    for (const ComparedScenario& one : scenarios_) words << tr("%1: %2").arg(one.name, readableBytes(peakOf(*one.result)->peakBytes).text());
    setAccessibleName(tr("Memory side by side"));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setToolTip(words.join(QLatin1Char('\n')));
    update();
}

void CompareMemory::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& colors = theme_.colors();
    painter.fillRect(rect(), colors.panel);
    if (scenarios_.empty()) return drawEmptyState(painter, rect(), theme_, tr("No memory to compare yet."), {});
    painter.setFont(theme_.axisFont());
    const QFontMetricsF metrics(painter.font());
    const double line = metrics.height();
    double most = 0, capacityMost = 0;
    for (const ComparedScenario& one : scenarios_) {
        most = std::max(most, peakOf(*one.result)->peakBytes);
        capacityMost = std::max(capacityMost, one.result->memory.capacityBytes);
    }
    most = std::max(most, capacityMost) * 1.04;

    // Right: kinds and what the shown one holds more of each.
    const StageMemory& first = *peakOf(*scenarios_.front().result);
    const StageMemory& shown = *peakOf(*scenarios_[shown_].result);
    std::vector<MemoryKind> kinds;
    double legendWidth = 0;
    for (std::size_t k = 0; k < memoryKindCount; ++k) {
        const bool any = std::any_of(scenarios_.begin(), scenarios_.end(), [k](const ComparedScenario& one) { return peakOf(*one.result)->bytes[k] > 0; });
        if (!any) continue;
        kinds.push_back(static_cast<MemoryKind>(k));
        legendWidth = std::max(legendWidth, metrics.horizontalAdvance(memoryKindName(kinds.back())) + metrics.horizontalAdvance(signedFigure("/peak_bytes", shown.bytes[k] - first.bytes[k])) + 34);
    }
    legendWidth = std::min(legendWidth, width() * 0.56);
    const QRectF legend(width() - legendWidth - 8, 2, legendWidth, height() - 4);
    const double row = std::min(18.0, legend.height() / double(kinds.size() + 1));
    double y = legend.top() + 2;
    painter.setPen(colors.secondary);
    if (shown_ > 0) painter.drawText(QRectF(legend.left(), y, legend.width(), row), Qt::AlignRight | Qt::AlignVCenter, tr("difference"));
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) {
        y += row;
        const auto k = static_cast<std::size_t>(*kind);
        painter.fillRect(QRectF(legend.left(), y + row / 2 - 4, 8, 8), theme_.color(*kind));
        const QString difference = shown_ > 0 ? signedFigure("/peak_bytes", shown.bytes[k] - first.bytes[k]) : QString();
        const double differenceWidth = metrics.horizontalAdvance(difference);
        painter.setPen(colors.ink);
        painter.drawText(QRectF(legend.left() + 14, y, legend.width() - 14, row), Qt::AlignRight | Qt::AlignVCenter, difference);
        painter.setPen(colors.secondary);
        const double room = legend.width() - 20 - differenceWidth;
        painter.drawText(QRectF(legend.left() + 14, y, room, row), Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(memoryKindName(*kind), Qt::ElideRight, room));
    }

    const QRectF plot(12, 2.4 * line + 2, legend.left() - 24, height() - 3.4 * line - 8);
    const double column = plot.width() / double(scenarios_.size());
    const auto at = [&](double bytes) { return plot.bottom() - bytes / most * plot.height(); };
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
        const StageMemory& stage = *peakOf(*scenarios_[i].result);
        const double left = plot.left() + column * double(i), width = std::min(44.0, column * 0.72), barLeft = left + (column - width) / 2;
        double below = 0;
        for (const MemoryKind kind : kinds) {
            const double bytes = stage.bytes[static_cast<std::size_t>(kind)];
            painter.fillRect(QRectF(barLeft, at(below + bytes), width, at(below) - at(below + bytes)), theme_.color(kind));
            below += bytes;
        }
        const double capacity = at(scenarios_[i].result->memory.capacityBytes);
        painter.setPen(QPen(colors.data, 1.5, Qt::DashLine));
        painter.drawLine(QPointF(left + 2, capacity), QPointF(left + column - 2, capacity));
        // The total stands above its bar, and above the capacity's line where that would run through it.
        const QString total = metrics.elidedText(readableBytes(stage.peakBytes).text(), Qt::ElideRight, column);
        double top = at(stage.peakBytes) - line - 1;
        if (capacity > top - 1 && capacity < top + line + 1) top = capacity - line - 1;
        painter.setPen(colors.ink);
        painter.drawText(QRectF(left, top, column, line), Qt::AlignCenter, total);
        painter.setPen(colors.ink);
        painter.drawText(QRectF(left, plot.bottom() + 3, column, line), Qt::AlignCenter, metrics.elidedText(scenarios_[i].name, Qt::ElideRight, column - 2));
    }
    painter.setPen(colors.data);
    painter.drawText(QRectF(plot.left(), 2, plot.width(), line), Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(tr("capacity %1").arg(readableBytes(capacityMost).text()), Qt::ElideRight, plot.width()));
}

} // namespace orrery
