// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/front_chart.hpp"

#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double frontMargin = 12, frontReach = 9;

} // namespace

struct FrontChart::Frame {
    QRectF plot;
    ValueAxis x, y;
    FigureScale xScale, yScale;
    int xTicks = 4, yTicks = 4;
    QPointF at(double figureX, double figureY) const { return {plot.left() + x.share(figureX) * plot.width(), plot.bottom() - y.share(figureY) * plot.height()}; }
    QPointF at(const FrontChartData::Plan& plan) const { return at(plan.x, plan.y); }
};

FrontChart::FrontChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("search"), tr("Plans by two figures")}, parent) {}

void FrontChart::setData(FrontChartData data) {
    data_ = std::move(data);
    const bool kept = chosen_ && std::any_of(data_.plans.begin(), data_.plans.end(), [this](const FrontChartData::Plan& plan) { return plan.point == *chosen_; });
    if (!kept) chosen_.reset();
    update();
}

void FrontChart::choose(std::optional<std::size_t> point) {
    if (point == chosen_) return;
    chosen_ = point;
    update();
}

QString FrontChart::whyNothing() const { return data_.plans.empty() ? tr("Plans by two figures, with those that no other beats in both. Run a search.") : QString(); }

ChartHeading FrontChart::heading() const { return {tr("Plans by %1 and %2").arg(figureName(data_.xFigure), figureName(data_.yFigure)), {}}; }

FrontChart::Frame FrontChart::frameIn(const QRectF& area) const {
    Frame at;
    const QFontMetricsF axis(theme_.axisFont());
    // Plans that can't be are context: they may not squeeze the others into a corner.
    std::vector<const FrontChartData::Plan*> shown;
    for (const FrontChartData::Plan& plan : data_.plans)
        if (plan.feasible) shown.push_back(&plan);
    if (shown.empty())
        for (const FrontChartData::Plan& plan : data_.plans) shown.push_back(&plan);
    double leastX = shown.front()->x, mostX = leastX, leastY = shown.front()->y, mostY = leastY;
    for (const FrontChartData::Plan* plan : shown) {
        leastX = std::min(leastX, plan->x);
        mostX = std::max(mostX, plan->x);
        leastY = std::min(leastY, plan->y);
        mostY = std::max(mostY, plan->y);
    }
    at.x = ValueAxis::aroundSpread(leastX, mostX);
    at.y = ValueAxis::aroundSpread(leastY, mostY);
    at.xScale = figureScale(data_.xFigure, std::abs(mostX));
    at.yScale = figureScale(data_.yFigure, std::abs(mostY));
    const double top = area.top() + 2 * axis.height() + 4, bottom = area.bottom() - 2 * axis.height() - 12;
    at.yTicks = std::max(2, static_cast<int>((bottom - top) / 34));
    double labels = 0;
    for (const double tick : at.y.ticks(at.yTicks, at.yScale.factor)) labels = std::max(labels, axis.horizontalAdvance(tickText(tick / at.yScale.factor, at.y.step(at.yTicks, at.yScale.factor))));
    const double left = area.left() + frontMargin + labels + 8;
    at.plot = QRectF(left, top, std::max(20.0, area.right() - 2 * frontMargin - left), std::max(20.0, bottom - top));
    at.xTicks = std::max(2, static_cast<int>(at.plot.width() / 80));
    return at;
}

QPointF FrontChart::placeOf(std::size_t point) const {
    for (const FrontChartData::Plan& plan : data_.plans)
        if (plan.point == point) return frameIn(rect()).at(plan);
    return {};
}

void FrontChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (data_.plans.empty()) return drawEmptyState(painter, rect(), theme_, tr("Plans by two figures, with those that no other beats in both."), tr("Look at the space, then search."));
    draw(painter, rect(), true);
}

void FrontChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (!data_.plans.empty()) draw(painter, area, false);
}

void FrontChart::draw(QPainter& painter, const QRectF& area, bool marks) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const Frame at = frameIn(area);
    drawAxes(painter, at);
    drawFront(painter, at);
    drawNames(painter, at);
    if (!marks || !chosen_) return;
    painter.setPen(QPen(theme_.colors().accent, 2));
    painter.setBrush(Qt::NoBrush);
    for (const FrontChartData::Plan& plan : data_.plans)
        if (plan.point == *chosen_ && at.plot.adjusted(-8, -8, 8, 8).contains(at.at(plan))) painter.drawEllipse(at.at(plan), 7.5, 7.5);
}

void FrontChart::drawAxes(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    const double line = metrics.height();
    painter.setFont(theme_.axisFont());
    for (const double tick : at.y.ticks(at.yTicks, at.yScale.factor)) {
        const double y = at.at(at.x.low, tick).y();
        painter.setPen(QPen(colors.grid, 1));
        painter.drawLine(QPointF(at.plot.left(), y), QPointF(at.plot.right(), y));
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(at.plot.left() - 85, y - line / 2, 80, line), Qt::AlignRight | Qt::AlignVCenter, tickText(tick / at.yScale.factor, at.y.step(at.yTicks, at.yScale.factor)));
    }
    double free = -1e9;
    for (const double tick : at.x.ticks(at.xTicks, at.xScale.factor)) {
        const double x = at.at(tick, at.y.low).x();
        painter.setPen(QPen(colors.grid, 1));
        painter.drawLine(QPointF(x, at.plot.top()), QPointF(x, at.plot.bottom()));
        const QString text = tickText(tick / at.xScale.factor, at.x.step(at.xTicks, at.xScale.factor));
        const double width = metrics.horizontalAdvance(text) + 2;
        if (x - width / 2 < free) continue;
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(x - width / 2, at.plot.bottom() + 4, width, line), Qt::AlignCenter, text);
        free = x + width / 2 + 6;
    }
    painter.setPen(QPen(colors.line, 1));
    painter.drawLine(at.plot.bottomLeft(), at.plot.bottomRight());
    if (data_.limitOfX) {
        const double x = at.at(*data_.limitOfX, at.y.low).x();
        painter.setPen(QPen(colors.data, 1.5, Qt::DashLine));
        if (x >= at.plot.left() && x <= at.plot.right()) painter.drawLine(QPointF(x, at.plot.top()), QPointF(x, at.plot.bottom()));
    }
    painter.setPen(colors.secondary);
    const auto named = [](const std::string& figure, const FigureScale& scale, bool most) {
        const QString name = scale.unit.isEmpty() ? figureName(figure) : tr("%1, %2").arg(figureName(figure), scale.unit);
        return QStringList{most ? tr("%1 (more is better)").arg(name) : tr("%1 (less is better)").arg(name), name};
    };
    const double room = at.plot.right() - frontMargin;
    drawFitting(painter, QRectF(frontMargin, at.plot.top() - 2 * line - 2, room, line), Qt::AlignLeft | Qt::AlignVCenter, theme_.axisFont(), named(data_.yFigure, at.yScale, data_.mostOfY));
    drawFitting(painter, QRectF(at.plot.left(), at.plot.bottom() + 6 + line, at.plot.width(), line), Qt::AlignCenter, theme_.axisFont(), named(data_.xFigure, at.xScale, data_.mostOfX));
    if (std::any_of(data_.plans.begin(), data_.plans.end(), [](const FrontChartData::Plan& plan) { return !plan.feasible; }))
        painter.drawText(QRectF(at.plot.left(), at.plot.top() - line - 2, at.plot.width(), line), Qt::AlignRight | Qt::AlignVCenter, tr("○ does not fit, or breaks a constraint"));
}

std::vector<const FrontChartData::Plan*> FrontChart::front() const {
    std::vector<const FrontChartData::Plan*> all;
    for (const FrontChartData::Plan& plan : data_.plans)
        if (plan.onFront) all.push_back(&plan);
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->x < b->x; });
    return all;
}

void FrontChart::drawFront(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    const QRectF inside = at.plot.adjusted(-4, -4, 4, 4);
    for (const FrontChartData::Plan& plan : data_.plans) {
        const QPointF place = at.at(plan);
        if (plan.onFront || !inside.contains(place)) continue;
        painter.setPen(plan.feasible ? QPen(Qt::NoPen) : QPen(colors.faint, 1.2));
        painter.setBrush(plan.feasible ? QBrush(colors.faint) : QBrush(Qt::NoBrush));
        painter.drawEllipse(place, 2.6, 2.6);
    }
    const std::vector<const FrontChartData::Plan*> best = front();
    // What a plan of the front beats: the corner that lies away from both aims.
    QPolygonF steps;
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (i > 0) {
            const bool later = data_.mostOfX; // going right gets better in x: the step goes down in y first
            steps << (later ? at.at(best[i - 1]->x, best[i]->y) : at.at(best[i]->x, best[i - 1]->y));
        }
        steps << at.at(*best[i]);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.asLine(colors.lastStage), 1.6));
    if (steps.size() > 1) painter.drawPolyline(steps);
    painter.setPen(QPen(colors.panel, 1));
    painter.setBrush(theme_.asLine(colors.lastStage));
    for (const auto* plan : best) painter.drawEllipse(at.at(*plan), 4.5, 4.5);
}

void FrontChart::drawNames(QPainter& painter, const Frame& at) const {
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().ink);
    const std::vector<const FrontChartData::Plan*> best = front();
    // No name lies over a dot of any plan: it goes farther away, or is left out.
    const QRectF room = at.plot.adjusted(0, -metrics.height(), frontMargin, 0);
    std::vector<QRectF> taken;
    for (const FrontChartData::Plan& plan : data_.plans) {
        const QPointF place = at.at(plan);
        const double reach = plan.onFront ? 5 : 3.2;
        if (room.adjusted(-reach, -reach, reach, reach).contains(place)) taken.emplace_back(place.x() - reach, place.y() - reach, 2 * reach, 2 * reach);
    }
    const auto tryName = [&](const FrontChartData::Plan& plan) {
        const QPointF place = at.at(plan);
        const double width = metrics.horizontalAdvance(plan.words) + 2, height = metrics.height();
        for (const double away : {0.0, height, 2 * height, 3 * height})
            for (const double left : {place.x() + 8, place.x() - 8 - width, place.x() - width / 2})
                for (const double top : {place.y() - height - 1 - away, place.y() + 1 + away}) {
                    const bool centred = left == place.x() - width / 2;
                    const QRectF box(left, centred ? (top < place.y() ? top - 6 : top + 6) : top, width, height);
                    if (!room.contains(box) || std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); })) continue;
                    if (away > 0) {
                        painter.setPen(QPen(theme_.colors().faint, 0.8));
                        painter.drawLine(place, QPointF(std::clamp(place.x(), box.left(), box.right()), box.bottom() < place.y() ? box.bottom() : box.top()));
                        painter.setPen(theme_.colors().ink);
                    }
                    painter.drawText(box, Qt::AlignCenter, plan.words);
                    taken.push_back(box);
                    return;
                }
    };
    // The ends of the front and what is chosen go first where there is no room for all.
    for (const auto* plan : best)
        if (chosen_ == plan->point) tryName(*plan);
    if (!best.empty() && chosen_ != best.front()->point) tryName(*best.front());
    if (best.size() > 1 && chosen_ != best.back()->point) tryName(*best.back());
    for (std::size_t i = 1; i + 1 < best.size(); ++i)
        if (chosen_ != best[i]->point) tryName(*best[i]);
}

const FrontChartData::Plan* FrontChart::planAt(const QPointF& position) const {
    if (data_.plans.empty()) return nullptr;
    const Frame at = frameIn(rect());
    const FrontChartData::Plan* best = nullptr;
    double nearest = frontReach * frontReach;
    for (const FrontChartData::Plan& plan : data_.plans) {
        const QPointF away = at.at(plan) - position;
        const double distance = QPointF::dotProduct(away, away) * (plan.onFront ? 0.5 : 1);
        if (distance >= nearest) continue;
        nearest = distance;
        best = &plan;
    }
    return best;
}

QString FrontChart::words(const FrontChartData::Plan& plan) const {
    const QString text = tr("%1: %2 %3, %4 %5").arg(plan.words, figureName(data_.xFigure), figureWords(data_.xFigure, plan.x), figureName(data_.yFigure), figureWords(data_.yFigure, plan.y));
    return plan.feasible ? text : text + tr("; does not fit, or breaks a constraint");
}

void FrontChart::pick(const FrontChartData::Plan& plan) {
    choose(plan.point);
    setAccessibleDescription(words(plan));
    emit pointChosen(plan.point);
}

void FrontChart::mouseMoveEvent(QMouseEvent* event) {
    if (const auto* plan = planAt(event->position())) QToolTip::showText(event->globalPosition().toPoint(), words(*plan), this);
    else QToolTip::hideText();
}

void FrontChart::mousePressEvent(QMouseEvent* event) {
    if (const auto* plan = planAt(event->position())) pick(*plan);
}

void FrontChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto* plan = planAt(event->position())) emit openRequested(plan->point);
}

void FrontChart::keyPressEvent(QKeyEvent* event) {
    const std::vector<const FrontChartData::Plan*> best = front();
    const auto now = std::find_if(best.begin(), best.end(), [this](const auto* plan) { return chosen_ == plan->point; });
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && chosen_) emit openRequested(*chosen_);
    else if (!best.empty() && event->key() == Qt::Key_Right) pick(**(now == best.end() ? best.begin() : now + 1 == best.end() ? now
                                                                                                                              : now + 1));
    else if (!best.empty() && event->key() == Qt::Key_Left) pick(**(now == best.end() || now == best.begin() ? best.begin() : now - 1));
    else QWidget::keyPressEvent(event);
}

ChartPlot FrontChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::points;
    plot.x = 1;
    plot.y = {2};
    plot.xTitle = figureInItsUnit(data_.xFigure);
    plot.yTitle = figureInItsUnit(data_.yFigure);
    return plot;
}

QByteArray FrontChart::csv() const {
    QByteArray lines = "plan," + QByteArray::fromStdString(data_.xFigure + ',' + data_.yFigure) + ",feasible,front\n";
    for (const FrontChartData::Plan& plan : data_.plans)
        lines += '"' + plan.words.toUtf8() + "\"," + QByteArray::number(plan.x, 'g', 17) + ',' + QByteArray::number(plan.y, 'g', 17) + (plan.feasible ? ",1" : ",0") + (plan.onFront ? ",1\n" : ",0\n");
    return lines;
}

} // namespace orrery
