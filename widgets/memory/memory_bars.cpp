// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_bars.hpp"

#include "core/base/units.hpp"
#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QGraphicsItem>
#include <QGraphicsLayout>
#include <QPainter>
#include <QStackedBarSeries>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double margin = 12;    ///< of the panel
constexpr double swatchSide = 9; ///< side of a legend's square
constexpr double widestBar = 72; ///< one stage alone must not become a wall

/// 79.65 → "79.6"; 80 → "80".
QString gibText(double value) { return grouped(value, std::abs(value - std::round(value)) < 0.05 ? 0 : 1); }

} // namespace

/// Paints behind or over the bars what Qt Charts does not.
class MemoryBars::Layer : public QGraphicsItem {
public:
    using Draw = void (MemoryBars::*)(QPainter&) const;
    Layer(MemoryBars* bars, double z, Draw draw) : QGraphicsItem(bars), bars_(bars), draw_(draw) { setZValue(z); }
    QRectF boundingRect() const override { return {{0, 0}, bars_->size()}; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override { (bars_->*draw_)(*painter); }
    void sizeChanged() { prepareGeometryChange(); }

private:
    MemoryBars* bars_;
    Draw draw_;
};

MemoryBars::MemoryBars(const Theme& theme) : theme_(theme) {
    setAnimationOptions(QChart::NoAnimation);
    setBackgroundVisible(false);
    setPlotAreaBackgroundVisible(false);
    setDropShadowEnabled(false);
    layout()->setContentsMargins(0, 0, 0, 0);
    setMargins({0, 0, 0, 0});
    legend()->hide();

    stageAxis_ = new QBarCategoryAxis(this);
    bytesAxis_ = new QValueAxis(this);
    stageAxis_->setVisible(false); // they scale the bars; what a reader sees of them is drawn here
    bytesAxis_->setVisible(false);
    addAxis(stageAxis_, Qt::AlignBottom);
    addAxis(bytesAxis_, Qt::AlignLeft);
    grid_ = new Layer(this, -100, &MemoryBars::drawGrid);
    annotations_ = new Layer(this, 100, &MemoryBars::annotate);
    applyTheme();
}

void MemoryBars::setResult(ResultPtr result) {
    result_ = std::move(result);
    rebuildSeries();
    layOut();
}

void MemoryBars::setBaseline(ResultPtr baseline) {
    if (baseline == baseline_) return;
    baseline_ = std::move(baseline);
    rebuildSeries();
    layOut();
}

double MemoryBars::baselinePeak(std::size_t stage) const {
    return baseline_ != nullptr && stage < baseline_->memory.stages.size() ? gib(baseline_->memory.stages[stage].peakBytes) : 0;
}

void MemoryBars::drawBaseline(QPainter& painter) const {
    painter.setPen(QPen(theme_.colors().secondary, 1.5, Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t i = 0; i < report().stages.size(); ++i) {
        QRectF outline = barRect(i).adjusted(-2, 0, 2, 0);
        outline.setTop(yOf(baselinePeak(i)));
        if (baselinePeak(i) > 0) painter.drawRect(outline);
    }
}

void MemoryBars::setSelectedStage(int stage) {
    selectedStage_ = stage;
    annotations_->update();
}

void MemoryBars::applyTheme() {
    const ThemeColors& colors = theme_.colors();
    if (series_ != nullptr) {
        const QList<QBarSet*> sets = series_->barSets();
        for (qsizetype i = 0; i < sets.size(); ++i) {
            sets[i]->setColor(theme_.color(kinds_[static_cast<std::size_t>(i)]));
            // A hairline of the panel's colour between the kinds; bars only some pixels wide would drown in it.
            sets[i]->setPen(slotWidth() > 14 ? QPen(colors.panel, 1) : QPen(Qt::NoPen));
        }
    }
    grid_->update();
    annotations_->update();
}

void MemoryBars::rebuildSeries() {
    removeAllSeries();
    series_ = nullptr;
    kinds_.clear();
    const bool empty = result_ == nullptr || result_->memory.stages.empty();
    if (empty) return;

    kinds_ = shownMemoryKinds(report());
    series_ = new QStackedBarSeries;
    for (const MemoryKind kind : kinds_) {
        auto* set = new QBarSet(memoryKindName(kind));
        for (const StageMemory& stage : report().stages) set->append(gib(stage.bytes[static_cast<std::size_t>(kind)]));
        series_->append(set);
    }
    QStringList categories;
    for (const StageMemory& stage : report().stages) categories << QString::number(stage.stage);
    stageAxis_->setCategories(categories);
    addSeries(series_);
    series_->attachAxis(stageAxis_);
    series_->attachAxis(bytesAxis_);

    double highest = gib(report().capacityBytes);
    for (std::size_t i = 0; i < report().stages.size(); ++i) highest = std::max({highest, gib(report().stages[i].peakBytes), baselinePeak(i)});
    axisMaximum_ = highest > 0 ? highest : 1;
    bytesAxis_->setRange(0, axisMaximum_);
}

void MemoryBars::resizeEvent(QGraphicsSceneResizeEvent* event) {
    QChart::resizeEvent(event);
    grid_->sizeChanged();
    annotations_->sizeChanged();
    layOut();
}

void MemoryBars::layOut() {
    if (series_ == nullptr || size().width() < 40 || size().height() < 40) return;
    const QFontMetricsF axis(theme_.axisFont());
    const QFontMetricsF body(theme_.secondaryFont());
    layOutLegend();
    // Above the plot: the total of the highest bar and what it is over by, or the capacity's label and the unit.
    const double top = 4 + 2 * body.height();
    const double left = margin + axis.horizontalAdvance(grouped(axisMaximum_, axisMaximum_ < 10 ? 1 : 0)) + 8;
    const double right = legend_.isEmpty() ? size().width() - margin : legend_.left() - 14;
    const double width = std::max(20.0, right - left);
    const bool words = width / static_cast<double>(report().stages.size()) >= wordWidth();
    const double bottom = axis.height() * (words ? 1.4 : 2.4) + 4;
    const QRectF plot(left, top, width, std::max(20.0, size().height() - top - bottom));
    setPlotArea(plot);
    tickStep_ = roundTickStep(axisMaximum_, std::max(2, static_cast<int>(plot.height() / 32)));
    series_->setBarWidth(std::min(slotWidth() < 8 ? 0.9 : 0.66, widestBar / slotWidth()));
    applyTheme();
}

void MemoryBars::layOutLegend() {
    const QFontMetricsF body(theme_.secondaryFont());
    double widest = 0;
    for (const MemoryKind kind : kinds_) widest = std::max(widest, body.horizontalAdvance(memoryKindName(kind)));
    widest = std::max(widest, QFontMetricsF(theme_.axisFont()).horizontalAdvance(capacityText()));
    const double rows = static_cast<double>(kinds_.size()) + 1; // one spare for the capacity's name
    const double width = swatchSide + 7 + widest;
    const double available = size().height() - 16;
    legendRow_ = std::clamp(available / rows, body.height(), 20.0);
    const bool fits = legendRow_ * rows <= available + 1 && width < size().width() * 0.48;
    if (!fits) {
        legend_ = {};
        return;
    }
    const double height = legendRow_ * rows;
    legend_ = QRectF(size().width() - margin - width, std::max(8.0, (size().height() - height) / 2 - legendRow_ / 2), width, height);
}

int MemoryBars::tickCount() const { return static_cast<int>(std::floor(axisMaximum_ / tickStep_ * (1 + 1e-9))); }

double MemoryBars::yOf(double value) const {
    const QRectF plot = plotArea();
    return plot.bottom() - plot.height() * value / axisMaximum_;
}

double MemoryBars::wordWidth() const { return QFontMetricsF(theme_.axisFont()).horizontalAdvance(tr("stage %1").arg(88)) + 6; }

double MemoryBars::slotWidth() const {
    const std::size_t stages = result_ == nullptr ? 1 : std::max<std::size_t>(1, report().stages.size());
    return plotArea().width() / static_cast<double>(stages);
}

QRectF MemoryBars::barRect(std::size_t stage) const {
    const double width = slotWidth() * series_->barWidth();
    const double centre = plotArea().left() + slotWidth() * (static_cast<double>(stage) + 0.5);
    const double top = yOf(gib(report().stages[stage].peakBytes));
    return {centre - width / 2, top, width, plotArea().bottom() - top};
}

std::optional<MemoryBars::Hit> MemoryBars::hitTest(const QPointF& position) const {
    if (series_ == nullptr || position.x() < plotArea().left() || position.x() >= plotArea().right() ||
        position.y() < 0 || position.y() > size().height())
        return std::nullopt;
    Hit hit;
    hit.stage = std::min(report().stages.size() - 1, static_cast<std::size_t>((position.x() - plotArea().left()) / slotWidth()));
    const QRectF bar = barRect(hit.stage);
    if (!bar.adjusted(-2, 0, 2, 0).contains(position)) return hit;
    double value = axisMaximum_ * (plotArea().bottom() - position.y()) / plotArea().height();
    for (const MemoryKind kind : kinds_) {
        hit.kind = kind;
        value -= gib(report().stages[hit.stage].bytes[static_cast<std::size_t>(kind)]);
        if (value < 0) break;
    }
    return hit;
}

void MemoryBars::drawGrid(QPainter& painter) const {
    if (series_ == nullptr) return;
    const QRectF plot = plotArea();
    for (int tick = 0; tick <= tickCount(); ++tick) {
        const double value = tick * tickStep_;
        const double y = std::round(yOf(value)) + 0.5;
        painter.setPen(QPen(value == 0 ? theme_.colors().line : theme_.colors().grid, 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    }
}

void MemoryBars::annotate(QPainter& painter) const {
    if (series_ == nullptr) return;
    painter.setRenderHint(QPainter::Antialiasing);
    drawAxis(painter);
    drawStageNames(painter);
    drawBaseline(painter);
    const std::vector<Label> totals = drawTotals(painter);
    drawCapacity(painter, totals);
    drawLegend(painter);
}

void MemoryBars::drawAxis(QPainter& painter) const {
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().secondary);
    const QRectF plot = plotArea();
    for (int tick = 0; tick <= tickCount(); ++tick) {
        const double value = tick * tickStep_;
        const QString text = grouped(value, tickStep_ < 1 ? 1 : 0);
        const QRectF rect(0, yOf(value) - metrics.height() / 2, plot.left() - 6, metrics.height());
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, text);
    }
    const QString unit = tr("GiB");
    painter.drawText(QRectF(margin, plot.top() - metrics.height() * 1.6 - 2, metrics.horizontalAdvance(unit) + 2, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, unit);
}

void MemoryBars::drawStageNames(QPainter& painter) const {
    const QFontMetricsF metrics(theme_.axisFont());
    const QRectF plot = plotArea();
    const std::size_t count = report().stages.size();
    const double width = slotWidth();
    const double top = plot.bottom() + 5;
    const bool words = width >= wordWidth();
    const double need = metrics.horizontalAdvance(QStringLiteral("88")) + 8;
    const auto every = words ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(need / width)));
    painter.setFont(theme_.axisFont());
    for (std::size_t i = 0; i < count; i += every) {
        const int stage = report().stages[i].stage;
        const bool selected = stage == selectedStage_;
        painter.setPen(selected ? theme_.colors().accent : theme_.colors().secondary);
        const double centre = plot.left() + width * (static_cast<double>(i) + 0.5);
        painter.drawText(QRectF(centre - std::max(width, need) / 2, top, std::max(width, need), metrics.height()), Qt::AlignCenter,
                         count == 1 ? tr("accelerator") : words ? tr("stage %1").arg(stage)
                                                                : QString::number(stage));
    }
    if (words) return;
    painter.setPen(theme_.colors().secondary);
    painter.drawText(QRectF(plot.left(), top + metrics.height(), plot.width(), metrics.height()), Qt::AlignCenter, tr("stage"));
}

std::vector<MemoryBars::Label> MemoryBars::drawTotals(QPainter& painter) const {
    const ThemeColors& colors = theme_.colors();
    QFont bold = theme_.secondaryFont();
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(bold);
    const QFontMetricsF small(theme_.axisFont());
    std::vector<Label> labels;
    const auto& stages = report().stages;
    const auto highest = static_cast<std::size_t>(
        std::max_element(stages.begin(), stages.end(), [](const StageMemory& a, const StageMemory& b) { return a.peakBytes < b.peakBytes; }) -
        stages.begin());
    const auto place = [&](std::size_t stage, const QFontMetricsF& font, const QString& text, double raise) {
        const double width = font.horizontalAdvance(text) + 2;
        const QRectF bar = barRect(stage);
        double left = bar.center().x() - width / 2;
        const double leftmost = plotArea().left() + 6; // beside the axis' unit
        left = std::clamp(left, leftmost, std::max(leftmost, plotArea().right() - width));
        return Label{text, QRectF(left, bar.top() - font.height() - 1 - raise, width, font.height())};
    };
    const bool every = slotWidth() >= metrics.horizontalAdvance(QStringLiteral("888.8")) + 4;
    const auto draw = [&](const Label& label, const QFont& font, const QColor& color) {
        painter.fillRect(label.rect, colors.panel); // the capacity line may pass behind
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(label.rect, Qt::AlignCenter, label.text);
        labels.push_back(label);
    };
    const QString longest = tr("over by %1").arg(QStringLiteral("88.8 GiB"));
    const bool everyExcess = slotWidth() >= small.horizontalAdvance(longest) + 6;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double excess = stages[i].peakBytes - report().capacityBytes;
        const bool over = report().capacityBytes > 0 && excess > 0;
        if (over) {
            painter.setPen(QPen(colors.warning, slotWidth() > 14 ? 2 : 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(barRect(i));
        }
        if (stages[i].stage == selectedStage_) {
            painter.setPen(QPen(colors.accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(barRect(i).adjusted(-3, -3, 3, 1), 3, 3);
        }
        if (!every && i != highest) continue;
        draw(place(i, metrics, grouped(gib(stages[i].peakBytes), 1), 2), bold, over ? colors.warning : colors.ink);
        if (over && (everyExcess || i == highest)) {
            const Label excessLabel = place(i, small, tr("over by %1").arg(readableBytes(excess).text()), metrics.height() + 2);
            const bool hidden = std::any_of(labels.begin(), labels.end(), [&](const Label& other) { return other.rect.intersects(excessLabel.rect); });
            if (!hidden) draw(excessLabel, theme_.axisFont(), colors.warning);
        }
    }
    return labels;
}

QString MemoryBars::capacityText() const { return tr("capacity %1").arg(gibText(gib(report().capacityBytes))); }

void MemoryBars::drawCapacity(QPainter& painter, const std::vector<Label>& totals) const {
    if (!(report().capacityBytes > 0)) return;
    const ThemeColors& colors = theme_.colors();
    const double y = yOf(gib(report().capacityBytes));
    const QRectF plot = plotArea();
    // The dashes are drawn piece by piece, so that they stop where a total stands.
    double from = plot.left();
    std::vector<QRectF> gaps;
    for (const Label& total : totals)
        if (total.rect.top() < y && total.rect.bottom() > y) gaps.push_back(total.rect.adjusted(-2, 0, 2, 0));
    std::sort(gaps.begin(), gaps.end(), [](const QRectF& a, const QRectF& b) { return a.left() < b.left(); });
    QPen dashes(colors.data, 1.5);
    dashes.setDashPattern({3, 2});
    dashes.setCapStyle(Qt::FlatCap);
    painter.setPen(dashes);
    for (const QRectF& gap : gaps) {
        if (gap.left() > from) painter.drawLine(QPointF(from, y), QPointF(gap.left(), y));
        from = std::max(from, gap.right());
    }
    painter.drawLine(QPointF(from, y), QPointF(plot.right(), y));

    const QFontMetricsF metrics(theme_.axisFont());
    const QString text = capacityText();
    const double width = metrics.horizontalAdvance(text) + 2;
    painter.setFont(theme_.axisFont());
    painter.setPen(colors.data);
    for (const double left : {plot.right() - width, plot.left() + 2}) {
        for (const double top : {y - metrics.height() - 2, y + 3}) {
            const QRectF rect(left, top, width, metrics.height());
            bool free = rect.left() >= plot.left() && rect.top() >= 0;
            for (const Label& total : totals) free = free && !rect.intersects(total.rect.adjusted(-3, 0, 3, 0));
            for (std::size_t i = 0; i < report().stages.size(); ++i) free = free && !rect.intersects(barRect(i));
            if (!free) continue;
            painter.drawText(rect, Qt::AlignCenter, text);
            return;
        }
    }
    if (legend_.isEmpty()) return;
    const QRectF row(legend_.left(), legend_.top(), legend_.width(), legendRow_);
    painter.setPen(dashes);
    painter.drawLine(QPointF(row.left(), row.center().y()), QPointF(row.left() + swatchSide, row.center().y()));
    painter.setPen(colors.data);
    painter.drawText(row.adjusted(swatchSide + 7, 0, 4, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void MemoryBars::drawLegend(QPainter& painter) const {
    if (legend_.isEmpty()) return;
    painter.setFont(theme_.secondaryFont());
    double y = legend_.top() + legendRow_;
    for (auto kind = kinds_.rbegin(); kind != kinds_.rend(); ++kind, y += legendRow_) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme_.color(*kind));
        painter.drawRoundedRect(QRectF(legend_.left(), y + (legendRow_ - swatchSide) / 2, swatchSide, swatchSide), 2, 2);
        painter.setPen(theme_.colors().ink);
        painter.drawText(QRectF(legend_.left() + swatchSide + 7, y, legend_.width(), legendRow_), Qt::AlignLeft | Qt::AlignVCenter, memoryKindName(*kind));
    }
}

} // namespace orrery
