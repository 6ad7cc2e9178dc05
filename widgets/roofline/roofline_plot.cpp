// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_plot.hpp"

#include "core/base/units.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/operator_words.hpp"
#include "widgets/common/theme.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace orrery {
namespace {

constexpr double smallestRadius = 3, largestRadius = 9;

/// 0.1, 1, 10, 100, 1k, 10k.
class DecadeTicker : public QCPAxisTickerLog {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        const int decade = static_cast<int>(std::lround(std::log10(tick)));
        if (decade >= 12) return QStringLiteral("1e%1").arg(decade);
        static constexpr const char* prefixes[] = {"", "k", "M", "G"};
        if (decade >= 0) return QString::number(static_cast<int>(std::lround(std::pow(10, decade % 3)))) + QLatin1String(prefixes[decade / 3]);
        return decade >= -3 ? QString::number(std::pow(10, decade)) : QStringLiteral("1e%1").arg(decade);
    }
};

/// 3.35e12 → "3.35": up to three digits, no zeros behind.
QString shortNumber(double value) { return QString::number(value, 'g', value >= 100 ? 4 : 3); }

/// The phases of rows of operations, in the order of the legend, with the shape of their points: hue is never the only sign.
constexpr std::pair<std::string_view, QCPScatterStyle::ScatterShape> phaseShapes[] = {
    {"prefill", QCPScatterStyle::ssCircle},
    {"decode", QCPScatterStyle::ssSquare},
    {"forward", QCPScatterStyle::ssCircle},
    {"backward", QCPScatterStyle::ssSquare},
    {"recompute", QCPScatterStyle::ssTriangle},
    {"optimizer", QCPScatterStyle::ssDiamond},
    {"communication", QCPScatterStyle::ssTriangleInverted},
};

QCPScatterStyle::ScatterShape shapeOf(std::string_view phase) {
    const auto* known = std::find_if(std::begin(phaseShapes), std::end(phaseShapes), [&](const auto& one) { return one.first == phase; });
    return known != std::end(phaseShapes) ? known->second : QCPScatterStyle::ssTriangleInverted;
}

OperationRow rowOf(std::string_view phase) {
    OperationRow row;
    row.phase = phase;
    return row;
}

} // namespace

/// Everything with letters in it, above the points.
class RooflinePlot::Annotations : public QCPLayerable {
public:
    explicit Annotations(RooflinePlot* plot) : QCPLayerable(plot, QStringLiteral("annotations")), plot_(plot) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override { plot_->annotate(*painter); }

private:
    RooflinePlot* plot_;
};

RooflinePlot::RooflinePlot(const Theme& theme, QWidget* parent) : QCustomPlot(parent), theme_(theme) {
    setAntialiasedElements(QCP::aeAll);
    setNotAntialiasedElements(QCP::aeGrid | QCP::aeAxes);
    setPlottingHint(QCP::phCacheLabels, false);
    setNoAntialiasingOnDrag(false);
    plotLayout()->clear();
    auto* area = new QCPAxisRect(this);
    plotLayout()->addElement(0, 0, area);
    for (QCPAxis* axis : {area->axis(QCPAxis::atBottom), area->axis(QCPAxis::atLeft)}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<DecadeTicker>::create());
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setLayer(QStringLiteral("grid"));
        axis->setTickLength(0);
        axis->setSubTickLength(0);
        axis->setSubTicks(false);
        axis->setTickLabelPadding(4);
        axis->setLabelPadding(2);
    }
    for (const QCPAxis::AxisType side : {QCPAxis::atTop, QCPAxis::atRight}) area->axis(side)->setVisible(false);
    area->axis(QCPAxis::atBottom)->setLabel(tr("arithmetic intensity, FLOP per byte"));
    area->axis(QCPAxis::atLeft)->setLabel(tr("TFLOP/s"));
    addLayer(QStringLiteral("annotations"));
    annotations_ = new Annotations(this);
    xAxis = area->axis(QCPAxis::atBottom);
    yAxis = area->axis(QCPAxis::atLeft);
    // A mark's size goes by the plot's, which is known only once the axes have their labels.
    connect(this, &QCustomPlot::afterLayout, this, &RooflinePlot::sizeMarks);
    applyTheme();
}

void RooflinePlot::sizeMarks() {
    for (std::size_t i = 0; i < marks_.size(); ++i) marks_[i]->setScatterStyle(scatterStyle(i));
}

void RooflinePlot::setResult(ResultPtr result) {
    result_ = std::move(result);
    data_ = result_ != nullptr ? rooflineData(*result_) : RooflineData{};
    setSelected(selectedName_, selectedPhase_);
    rebuild();
}

void RooflinePlot::setBaseline(const ResultPtr& baseline) {
    ghosts_ = baseline ? rooflineData(*baseline).points : std::vector<RooflinePoint>{};
    for (RooflinePoint& ghost : ghosts_) ghost.op = nullptr; // of a result that may go
    rebuild();
}

void RooflinePlot::addGhosts() {
    const ThemeColors& colors = theme_.colors();
    for (const RooflinePoint& ghost : ghosts_) {
        const auto now = std::find_if(data_.points.begin(), data_.points.end(), [&](const RooflinePoint& point) { return point.row.kind == ghost.row.kind && point.row.phase == ghost.row.phase; });
        QCPGraph* mark = addGraph(xAxis, yAxis);
        mark->setName(tr("baseline: %1 · %2").arg(QString::fromStdString(ghost.row.kind), QString::fromStdString(ghost.row.phase)));
        mark->setPen(QPen(colors.faint, 1, Qt::DotLine));
        mark->setScatterStyle({QCPScatterStyle::ssCircle, QPen(colors.secondary, 1), Qt::NoBrush, 2 * smallestRadius});
        mark->addData(ghost.intensity, ghost.achieved / units::tera);
        if (now == data_.points.end() || (now->intensity == ghost.intensity && now->achieved == ghost.achieved)) continue;
        QCPGraph* way = addGraph(xAxis, yAxis);
        way->setName(mark->name());
        way->setPen(QPen(colors.faint, 1, Qt::DotLine));
        way->addData(ghost.intensity, ghost.achieved / units::tera);
        way->addData(now->intensity, now->achieved / units::tera);
    }
}

void RooflinePlot::setSelected(const QString& name, const QString& phase) {
    selectedName_ = name;
    selectedPhase_ = phase;
    selected_.reset();
    for (std::size_t i = 0; i < data_.points.size(); ++i) {
        const OperationRow& row = data_.points[i].row;
        if (!name.isEmpty() && name == QString::fromStdString(row.kind) && phase == QString::fromStdString(row.phase)) selected_ = i;
    }
}

void RooflinePlot::setLevels(bool shown) {
    if (shown == levels_) return;
    levels_ = shown;
    rebuild();
}

std::vector<RooflinePlot::LevelRoof> RooflinePlot::levelRoofs() const {
    const ThemeColors& colors = theme_.colors();
    const Roofs& roofs = data_.roofs;
    const auto name = [](const QString& level, double bandwidth) { return tr("%1 %2 TB/s").arg(level, shortNumber(bandwidth / units::tera)); };
    std::vector<LevelRoof> list;
    const double l2 = levels_ ? roofs.l2LevelBandwidth : roofs.l2Bandwidth;
    if (l2 > 0) list.push_back({l2, name(tr("L2"), l2), levels_ ? colors.data : colors.secondary, Qt::DashLine});
    if (levels_ && roofs.sharedBandwidth > 0) list.push_back({roofs.sharedBandwidth, name(tr("shared"), roofs.sharedBandwidth), colors.tensor, Qt::DotLine});
    return list;
}

/// Hollow marks at the same rate: how much a product computes for a byte from L2, and from shared memory.
void RooflinePlot::addLevelMarks() {
    const ThemeColors& colors = theme_.colors();
    for (const RooflinePoint& point : data_.points) {
        if (point.l2Intensity <= 0) continue;
        const double y = point.achieved / units::tera;
        QCPGraph* line = addGraph(xAxis, yAxis);
        line->setName(QStringLiteral("levels of %1 · %2").arg(QString::fromStdString(point.row.kind), QString::fromStdString(point.row.phase)));
        line->setPen(QPen(colors.grid, 1));
        for (const double intensity : {point.intensity, point.l2Intensity, point.sharedIntensity})
            if (intensity > 0) line->addData(intensity, y);
        const std::pair<double, QColor> marks[] = {{point.l2Intensity, colors.data}, {point.sharedIntensity, colors.tensor}};
        for (const auto& [intensity, color] : marks) {
            if (intensity <= 0) continue;
            QCPGraph* mark = addGraph(xAxis, yAxis);
            mark->setName(QStringLiteral("level"));
            mark->setLineStyle(QCPGraph::lsNone);
            mark->setScatterStyle(QCPScatterStyle(shapeOf(point.row.phase), QPen(color, 1.2), colors.panel, 5));
            mark->addData(intensity, y);
        }
    }
}

void RooflinePlot::applyTheme() {
    const ThemeColors& colors = theme_.colors();
    setBackground(QBrush(colors.panel));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setBasePen(QPen(colors.line, 1));
        axis->setTickPen(QPen(colors.line, 1)); // of no length, yet drawn as dots: on the axis they are not seen
        axis->grid()->setPen(QPen(colors.grid, 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setTickLabelFont(theme_.axisFont());
        axis->setTickLabelColor(colors.secondary);
        axis->setLabelFont(theme_.axisFont());
        axis->setLabelColor(colors.secondary);
    }
    rebuild();
}

QString RooflinePlot::note() const {
    if (data_.omitted == 0) return {};
    const QString time = readableTime(data_.omittedTime).text();
    return data_.omitted == 1 ? tr("1 operator without FLOPs not drawn (%1)").arg(time)
                              : tr("%1 operators without FLOPs not drawn (%2)").arg(data_.omitted).arg(time);
}

void RooflinePlot::layOutMargins() {
    const QFontMetricsF metrics(theme_.axisFont());
    const double top = metrics.height() + 8; // the compute roof's name
    const double bottom = 2 * metrics.height() + 10 + (note().isEmpty() ? 0 : metrics.height() + 2);
    const double right = metrics.horizontalAdvance(QStringLiteral("100k")) / 2 + 6;
    axisRect()->setAutoMargins(QCP::msLeft);
    axisRect()->setMargins(QMargins(0, static_cast<int>(top), static_cast<int>(right), static_cast<int>(bottom)));
}

void RooflinePlot::setRanges() {
    const Roofs& roofs = data_.roofs;
    double left = 1, right = 1000, low = 1e12, high = 100e12;
    if (roofs.compute > 0) high = low = roofs.compute;
    if (roofs.compute > 0 && roofs.bandwidth > 0) left = right = roofs.compute / roofs.bandwidth;
    for (const RooflinePoint& ghost : ghosts_) {
        left = std::min(left, ghost.intensity);
        right = std::max(right, ghost.intensity);
        low = std::min(low, ghost.achieved);
        high = std::max(high, ghost.achieved);
    }
    for (const RooflinePoint& point : data_.points) {
        if (levels_)
            for (const double intensity : {point.l2Intensity, point.sharedIntensity})
                if (intensity > 0) left = std::min(left, intensity);
        left = std::min(left, point.intensity);
        right = std::max(right, point.intensity);
        low = std::min(low, point.achieved);
        high = std::max(high, point.achieved);
    }
    // Half a decade of air, so that marks do not stand on the frame, then to the next power of ten.
    const auto below = [](double value) { return std::pow(10, std::floor(std::log10(value * 0.7))); };
    const auto above = [](double value) { return std::pow(10, std::ceil(std::log10(value * 1.5))); };
    xAxis->setRange(below(left), above(std::max(right, left * 100)));
    yAxis->setRange(below(std::min(low, high / 100)) / units::tera, high * 1.6 / units::tera);
}

QPointF RooflinePlot::pixel(double intensity, double flopsPerSecond) const {
    return {xAxis->coordToPixel(intensity), yAxis->coordToPixel(flopsPerSecond / units::tera)};
}

QPointF RooflinePlot::pixelOf(std::size_t point) const { return pixel(data_.points[point].intensity, data_.points[point].achieved); }

double RooflinePlot::radiusOf(std::size_t point) const {
    const double largest = data_.points.front().row.time; // the area tells the time
    const double most = std::clamp(std::min(axisRect()->width(), axisRect()->height()) / 26.0, 5.0, largestRadius);
    return std::max(smallestRadius, most * std::sqrt(data_.points[point].row.time / largest));
}

std::optional<std::size_t> RooflinePlot::pointAt(const QPointF& position) const {
    // Small marks lie on large ones: the last drawn under the mouse is the one seen there. Beside all marks, the nearest.
    std::optional<std::size_t> seen, nearest;
    double least = 4;
    for (std::size_t i = 0; i < data_.points.size(); ++i) {
        const QPointF offset = pixelOf(i) - position;
        const double beside = std::hypot(offset.x(), offset.y()) - radiusOf(i);
        if (beside <= 0) seen = i;
        if (beside > least) continue;
        least = beside;
        nearest = i;
    }
    return seen ? seen : nearest;
}

std::pair<double, double> RooflinePlot::roofSpan(double bandwidth) const {
    const double bottom = yAxis->range().lower * units::tera;
    const double top = data_.roofs.compute > 0 ? data_.roofs.compute : yAxis->range().upper * units::tera;
    return {std::max(bottom / bandwidth, xAxis->range().lower), std::min(top / bandwidth, xAxis->range().upper)};
}

bool RooflinePlot::addRoof(double bandwidth, const QString& name, const QPen& pen) {
    const auto [from, to] = roofSpan(bandwidth);
    if (!(from < to)) return false;
    QCPGraph* roof = addGraph(xAxis, yAxis);
    roof->setName(name);
    roof->setPen(pen);
    for (const double intensity : {from, to}) roof->addData(intensity, intensity * bandwidth / units::tera);
    return true;
}

QCPScatterStyle RooflinePlot::scatterStyle(std::size_t index) const {
    const RooflinePoint& point = data_.points[index];
    return QCPScatterStyle(shapeOf(point.row.phase), QPen(theme_.colors().panel, 1), theme_.color(point.row), 2 * radiusOf(index));
}

void RooflinePlot::rebuild() {
    marks_.clear();
    clearGraphs();
    setRanges();
    const ThemeColors& colors = theme_.colors();
    const Roofs& roofs = data_.roofs;
    for (const LevelRoof& level : levelRoofs())
        addRoof(level.bandwidth, level.style == Qt::DotLine ? tr("shared memory roof") : tr("L2 roof"), QPen(levels_ ? level.color : colors.faint, 1, level.style));
    if (roofs.bandwidth > 0) addRoof(roofs.bandwidth, tr("memory roof"), QPen(colors.ink, 1.5));
    if (roofs.compute > 0) {
        QCPGraph* roof = addGraph(xAxis, yAxis);
        roof->setName(tr("compute roof"));
        roof->setPen(QPen(colors.ink, 1.5));
        const double from = roofs.bandwidth > 0 ? roofs.compute / roofs.bandwidth : xAxis->range().lower;
        roof->addData(from, roofs.compute / units::tera);
        roof->addData(xAxis->range().upper, roofs.compute / units::tera);
    }
    if (levels_) addLevelMarks();
    addGhosts();
    for (std::size_t i = 0; i < data_.points.size(); ++i) {
        const RooflinePoint& point = data_.points[i];
        QCPGraph* mark = addGraph(xAxis, yAxis);
        mark->setName(QString::fromStdString(point.row.kind + " · " + point.row.phase));
        mark->setLineStyle(QCPGraph::lsNone);
        mark->addData(point.intensity, point.achieved / units::tera);
        marks_.push_back(mark);
    }
    layOutMargins();
}

void RooflinePlot::annotate(QCPPainter& painter) {
    if (result_ == nullptr) return;
    const ThemeColors& colors = theme_.colors();
    const Roofs& roofs = data_.roofs;
    const QRectF plot = axisRect()->rect();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());

    LabelObstacles obstacles;
    obstacles.bounds = plot.adjusted(2, -metrics.height() - 4, -2, -2);
    for (std::size_t i = 0; i < data_.points.size(); ++i) obstacles.discs.push_back({pixelOf(i), radiusOf(i) + 1});
    const std::vector<LevelRoof> levels = levelRoofs();
    const auto addLine = [&](double bandwidth) {
        if (bandwidth > 0) obstacles.lines.push_back(roofLine(bandwidth));
    };
    addLine(roofs.bandwidth);
    for (const LevelRoof& level : levels) addLine(level.bandwidth);
    if (levels_)
        for (const RooflinePoint& point : data_.points)
            for (const double intensity : {point.l2Intensity, point.sharedIntensity})
                if (intensity > 0) obstacles.discs.push_back({pixel(intensity, point.achieved), 4});
    if (roofs.compute > 0) {
        const double from = roofs.bandwidth > 0 ? roofs.compute / roofs.bandwidth : xAxis->range().lower;
        obstacles.lines.push_back({pixel(from, roofs.compute), pixel(xAxis->range().upper, roofs.compute)});
        const QString text = tr("%1 TFLOP/s %2").arg(shortNumber(roofs.compute / units::tera), roofs.precision);
        const double width = metrics.horizontalAdvance(text) + 2;
        double baseline = pixel(1, roofs.compute).y() - 3;
        for (const auto& disc : obstacles.discs) // marks that reach over the roof lift its name
            if (disc.centre.x() + disc.radius > plot.right() - width) baseline = std::min(baseline, disc.centre.y() - disc.radius);
        baseline = std::max(baseline, metrics.height() + 1);
        const QRectF rect(plot.right() - width, baseline - metrics.height(), width, metrics.height());
        painter.setPen(colors.ink);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, text);
        obstacles.areas.push_back(rect);
    }
    if (roofs.bandwidth > 0) {
        const QPolygonF area = roofName(painter, tr("HBM %1 TB/s").arg(shortNumber(roofs.bandwidth / units::tera)), roofs.bandwidth, false, colors.ink, obstacles);
        if (!area.isEmpty()) obstacles.areas.push_back(area);
    }
    for (const LevelRoof& level : levels) {
        const QPolygonF area = roofName(painter, level.name, level.bandwidth, true, level.color, obstacles);
        if (!area.isEmpty()) obstacles.areas.push_back(area);
    }
    const QRectF phases = drawPhases(painter, obstacles);
    if (!phases.isEmpty()) obstacles.areas.push_back(phases);
    drawPointNames(painter, obstacles);

    if (selected_) {
        painter.setPen(QPen(colors.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(pixelOf(*selected_), radiusOf(*selected_) + 4, radiusOf(*selected_) + 4);
    }
    if (!note().isEmpty()) {
        painter.setPen(colors.secondary);
        const QRectF line(12, viewport().bottom() - metrics.height() - 3, viewport().width() - 24, metrics.height());
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(note(), Qt::ElideRight, line.width()));
    }
}

QLineF RooflinePlot::roofLine(double bandwidth) const {
    const auto [from, to] = roofSpan(bandwidth);
    return from < to ? QLineF(pixel(from, from * bandwidth), pixel(to, to * bandwidth)) : QLineF();
}

QPolygonF RooflinePlot::roofName(QCPPainter& painter, const QString& text, double bandwidth, bool above, const QColor& color,
                                 const LabelObstacles& obstacles) const {
    const QFontMetricsF metrics(theme_.axisFont());
    const QLineF roof = roofLine(bandwidth);
    const double width = metrics.horizontalAdvance(text) + 2, height = metrics.height();
    if (roof.length() < width + 16) return {};
    const QRectF flat(-width / 2, above ? -height - 3 : 3, width, height);
    const QRectF inside = axisRect()->rect();
    // Tries places along the roof, the middle first, for one that covers neither mark nor text nor the other roof.
    for (const double share : {0.5, 0.6, 0.4, 0.7, 0.3, 0.78, 0.22}) {
        QTransform turn;
        const QPointF centre = roof.pointAt(share);
        turn.translate(centre.x(), centre.y());
        turn.rotate(-roof.angle());
        QPolygonF area = turn.map(QPolygonF(flat));
        if (!inside.contains(area.boundingRect())) continue;
        bool free = true;
        for (const auto& disc : obstacles.discs) {
            const QRectF mark(disc.centre - QPointF(disc.radius, disc.radius), QSizeF(2 * disc.radius, 2 * disc.radius));
            free = free && !area.intersects(QPolygonF(mark));
        }
        for (const QPolygonF& other : obstacles.areas) free = free && !area.intersects(other);
        for (const QLineF& line : obstacles.lines)
            for (int side = 0; side + 1 < area.size(); ++side)
                free = free && QLineF(area[side], area[side + 1]).intersects(line) != QLineF::BoundedIntersection;
        if (!free) continue;
        painter.save();
        painter.setTransform(turn, true);
        painter.setPen(color);
        painter.drawText(flat, Qt::AlignCenter, text);
        painter.restore();
        return area;
    }
    return {};
}

QRectF RooflinePlot::drawPhases(QCPPainter& painter, const LabelObstacles& obstacles) const {
    std::vector<std::string_view> phases;
    for (const auto& [phase, shape] : phaseShapes)
        if (std::any_of(data_.points.begin(), data_.points.end(), [phase = phase](const RooflinePoint& point) { return point.row.phase == phase; }))
            phases.push_back(phase);
    if (phases.size() < 2) return {};
    const QFontMetricsF metrics(theme_.axisFont());
    double width = 0;
    for (const std::string_view phase : phases) width = std::max(width, metrics.horizontalAdvance(phaseText(phase)));
    const QRectF box(axisRect()->left() + 6, axisRect()->top() + 2, width + 20, metrics.height() * static_cast<double>(phases.size()) + 4);
    for (const QLineF& line : obstacles.lines)
        if (crosses(line, box)) return {};
    for (const auto& disc : obstacles.discs)
        if (box.adjusted(-disc.radius, -disc.radius, disc.radius, disc.radius).contains(disc.centre)) return {};
    for (const QPolygonF& area : obstacles.areas)
        if (area.intersects(QPolygonF(box))) return {};
    double y = box.top() + 2;
    for (const std::string_view phase : phases) {
        const QCPScatterStyle style(shapeOf(phase), QPen(theme_.colors().panel, 1), theme_.color(rowOf(phase)), 8);
        style.applyTo(&painter, QPen());
        style.drawShape(&painter, box.left() + 6, y + metrics.height() / 2);
        painter.setPen(theme_.colors().secondary);
        painter.drawText(QRectF(box.left() + 16, y, width + 4, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, phaseText(phase));
        y += metrics.height();
    }
    return box;
}

void RooflinePlot::drawPointNames(QCPPainter& painter, const LabelObstacles& obstacles) const {
    const QRectF plot = axisRect()->rect();
    const QFontMetricsF metrics(theme_.axisFont());
    const auto most = static_cast<std::size_t>(std::clamp(plot.width() * plot.height() / 8000, 3.0, 14.0));
    std::vector<std::size_t> named;
    std::set<std::string> seen;
    if (selected_) named.push_back(*selected_);
    if (selected_) seen.insert(data_.points[*selected_].row.kind);
    for (std::size_t i = 0; i < data_.points.size() && named.size() < most; ++i)
        if (seen.insert(data_.points[i].row.kind).second) named.push_back(i); // its phases lie side by side: one name is enough
    std::vector<LabelRequest> requests;
    std::vector<QString> texts;
    for (const std::size_t i : named) {
        texts.push_back(metrics.elidedText(QString::fromStdString(data_.points[i].row.kind), Qt::ElideLeft, plot.width() * 0.4));
        const double ring = selected_ == i ? 5 : 0;
        requests.push_back({pixelOf(i), radiusOf(i) + ring, QSizeF(metrics.horizontalAdvance(texts.back()) + 2, metrics.height())});
    }
    const auto places = placeLabels(requests, obstacles);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!places[i]) continue;
        if (places[i]->leader) {
            painter.setPen(QPen(theme_.colors().faint, 1));
            painter.drawLine(*places[i]->leader);
        }
        painter.setPen(selected_ == named[i] ? theme_.colors().accent : theme_.colors().secondary);
        painter.drawText(places[i]->rect, Qt::AlignCenter, texts[i]);
    }
}

} // namespace orrery
