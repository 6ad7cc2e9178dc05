// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/line_chart.hpp"

#include "core/base/json.hpp"
#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double lineMargin = 12, lineReach = 9;

bool allNumbers(const std::vector<BoxedJson>& values) {
    return !values.empty() && std::all_of(values.begin(), values.end(), [](const BoxedJson& value) { return value->is_number(); });
}

} // namespace

/// Where things are in one drawing.
struct LineChart::Frame {
    QRectF plot;
    ValueAxis x, y;
    bool numbers = false; ///< else the key's values stand evenly apart
    std::size_t count = 0;
    FigureScale scale;
    int ticks = 4;

    double xOf(const BoxedJson& value, std::size_t index) const {
        const double share = numbers ? x.share(value->get<double>()) : (static_cast<double>(index) + 0.5) / static_cast<double>(count);
        return plot.left() + share * plot.width();
    }
    double yOf(double figure) const { return plot.bottom() - y.share(figure) * plot.height(); }
};

LineChart::LineChart(const Theme& theme, const QString& emptyWhat, const QString& emptyHow, QWidget* parent)
    : ChartWidget(theme, {QStringLiteral("sweep"), tr("Figure over the values of a key")}, parent), emptyWhat_(emptyWhat), emptyHow_(emptyHow) {}

void LineChart::setData(LineChartData data) {
    if (data.key != data_.key || data.xs.size() != data_.xs.size() || data.lines.size() != data_.lines.size()) chosen_.reset();
    data_ = std::move(data);
    update();
}

void LineChart::choose(std::optional<std::size_t> point) {
    if (point == chosen_) return;
    chosen_ = point;
    update();
}

QString LineChart::whyNothing() const {
    for (const LineChartData::Line& line : data_.lines)
        for (const LineChartData::Place& place : line.places)
            if (place.figure) return {};
    return emptyWhat_ + u' ' + emptyHow_;
}

ChartHeading LineChart::heading() const { return {tr("%1 over %2").arg(figureName(data_.figure), keyName(data_.key)), {}}; }

QColor LineChart::lineColor(std::size_t line) const { return theme_.asLine(theme_.stageColor(static_cast<int>(data_.lines.size() - 1 - line), static_cast<int>(std::max<std::size_t>(2, data_.lines.size())))); }

LineChart::Frame LineChart::frameIn(const QRectF& area) const {
    Frame at;
    const QFontMetricsF axis(theme_.axisFont()), names(theme_.secondaryFont());
    double least = 0, most = 0;
    bool any = false;
    const auto take = [&](double figure) {
        least = any ? std::min(least, figure) : figure;
        most = any ? std::max(most, figure) : figure;
        any = true;
    };
    double nameWidth = 0;
    for (const LineChartData::Line& line : data_.lines) {
        nameWidth = std::max(nameWidth, names.horizontalAdvance(line.name));
        for (const LineChartData::Place& place : line.places)
            if (place.figure) take(*place.figure);
    }
    if (data_.target && any) take(*data_.target);
    at.y = ValueAxis::around(least, most, true);
    at.scale = figureScale(data_.figure, std::max(std::abs(least), std::abs(most)));
    at.count = data_.xs.size();
    at.numbers = allNumbers(data_.xs);
    const double top = area.top() + 2 * axis.height() + 4, bottom = area.bottom() - 2 * axis.height() - 12;
    at.ticks = std::max(2, static_cast<int>((bottom - top) / 34));
    double tickWidth = 0;
    for (const double tick : at.y.ticks(at.ticks, at.scale.factor)) tickWidth = std::max(tickWidth, axis.horizontalAdvance(tickText(tick / at.scale.factor, at.y.step(at.ticks, at.scale.factor))));
    const double left = area.left() + lineMargin + tickWidth + 8;
    const double right = area.right() - lineMargin - (nameWidth > 0 ? std::min(nameWidth + 10, area.width() / 3) : 6);
    at.plot = QRectF(left, top, std::max(20.0, right - left), std::max(20.0, bottom - top));
    if (at.numbers) {
        double low = data_.xs.front()->get<double>(), high = low;
        for (const BoxedJson& value : data_.xs) {
            low = std::min(low, value->get<double>());
            high = std::max(high, value->get<double>());
        }
        constexpr double doublings = 6; // from here on small values would crowd at the left
        if (!(high > low)) at.x = {low - 1, high + 1};
        else at.x = {low, high, low > 0 && high > doublings * low && data_.xs.size() > 2};
        // Air, so that the marks at the ends are whole.
        const double air = std::min(0.1, 10 / at.plot.width());
        if (at.x.logarithmic) at.x = {low / std::pow(high / low, air), high * std::pow(high / low, air), true};
        else at.x = {at.x.low - air * (at.x.high - at.x.low), at.x.high + air * (at.x.high - at.x.low)};
    }
    return at;
}

QPointF LineChart::placeOf(std::size_t line, std::size_t x) const {
    if (line >= data_.lines.size() || x >= data_.xs.size() || !data_.lines[line].places[x].figure) return {};
    const Frame at = frameIn(rect());
    return {at.xOf(data_.xs[x], x), at.yOf(*data_.lines[line].places[x].figure)};
}

void LineChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (data_.xs.empty()) return drawEmptyState(painter, rect(), theme_, emptyWhat_, emptyHow_);
    draw(painter, rect(), true);
}

void LineChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (!data_.xs.empty()) draw(painter, area, false);
}

void LineChart::draw(QPainter& painter, const QRectF& area, bool marks) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const Frame at = frameIn(area);
    drawAxes(painter, at);
    drawLines(painter, at, marks);
    drawNames(painter, at);
}

void LineChart::drawAxes(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    const double step = at.y.step(at.ticks, at.scale.factor);
    for (const double tick : at.y.ticks(at.ticks, at.scale.factor)) {
        const double y = at.yOf(tick);
        painter.setPen(QPen(colors.grid, 1));
        painter.drawLine(QPointF(at.plot.left(), y), QPointF(at.plot.right(), y));
        painter.setPen(colors.secondary);
        const QString text = tickText(tick / at.scale.factor, step);
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(at.plot.left() - 5 - width, y - metrics.height() / 2, width, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.setPen(QPen(colors.line, 1));
    painter.drawLine(at.plot.bottomLeft(), at.plot.bottomRight());
    painter.setPen(colors.secondary);
    const QString name = at.scale.unit.isEmpty() ? figureName(data_.figure) : tr("%1, %2").arg(figureName(data_.figure), at.scale.unit);
    const double room = at.plot.right() - lineMargin;
    drawFitting(painter, QRectF(lineMargin, at.plot.top() - 2 * metrics.height() - 2, room, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, theme_.axisFont(), {name});
    // What was tried is what the axis names, as far as there is room.
    double free = -1e9;
    for (std::size_t i = 0; i < data_.xs.size(); ++i) {
        const double x = at.xOf(data_.xs[i], i);
        painter.setPen(QPen(colors.line, 1));
        painter.drawLine(QPointF(x, at.plot.bottom()), QPointF(x, at.plot.bottom() + 3));
        const double most = at.numbers ? 120 : std::max(20.0, at.plot.width() / static_cast<double>(at.count) - 4);
        const QString text = valueWords(*data_.xs[i]);
        const double width = std::min(most, metrics.horizontalAdvance(text) + 2);
        if (x - width / 2 < free) continue;
        painter.setPen(colors.secondary);
        drawFitting(painter, QRectF(x - width / 2, at.plot.bottom() + 4, width, metrics.height()), Qt::AlignCenter, theme_.axisFont(), {text});
        free = x + width / 2 + 6;
    }
    drawFitting(painter, QRectF(at.plot.left(), at.plot.bottom() + 6 + metrics.height(), at.plot.width(), metrics.height()), Qt::AlignCenter, theme_.axisFont(), {keyTitle(data_.key)});
}

void LineChart::drawLines(QPainter& painter, const Frame& at, bool marks) const {
    const ThemeColors& colors = theme_.colors();
    if (data_.target) {
        const double y = at.yOf(*data_.target);
        painter.setPen(QPen(colors.data, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(at.plot.left(), y), QPointF(at.plot.right(), y));
    }
    if (data_.answered && at.numbers) {
        const double x = at.xOf(BoxedJson(*data_.answered), 0);
        painter.setPen(QPen(colors.accent, 1.4, Qt::DotLine));
        painter.drawLine(QPointF(x, at.plot.top()), QPointF(x, at.plot.bottom()));
    }
    for (std::size_t l = 0; l < data_.lines.size(); ++l) {
        const LineChartData::Line& line = data_.lines[l];
        const QColor color = lineColor(l);
        QPolygonF run;
        const auto endRun = [&] {
            painter.setPen(QPen(color, 1.8));
            if (run.size() > 1) painter.drawPolyline(run);
            run.clear();
        };
        for (std::size_t i = 0; i < line.places.size(); ++i) {
            if (line.places[i].figure) run << QPointF(at.xOf(data_.xs[i], i), at.yOf(*line.places[i].figure));
            else endRun();
        }
        endRun();
        for (std::size_t i = 0; i < line.places.size(); ++i) {
            const LineChartData::Place& place = line.places[i];
            if (!place.figure) continue;
            const QPointF middle(at.xOf(data_.xs[i], i), at.yOf(*place.figure));
            const bool fits = place.fits.value_or(true);
            painter.setPen(QPen(fits ? colors.panel : color, fits ? 1 : 1.5));
            painter.setBrush(fits ? color : colors.panel);
            painter.drawEllipse(middle, 3.5, 3.5);
            if (!marks || chosen_ != place.point) continue;
            painter.setPen(QPen(colors.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(middle, 7, 7);
        }
    }
}

void LineChart::drawNames(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.secondaryFont());
    painter.setFont(theme_.secondaryFont());
    struct Name {
        double y = 0;
        std::size_t line = 0;
    };
    std::vector<Name> names;
    bool hollow = false;
    for (std::size_t l = 0; l < data_.lines.size(); ++l) {
        const auto& places = data_.lines[l].places;
        hollow = hollow || std::any_of(places.begin(), places.end(), [](const LineChartData::Place& place) { return place.figure && place.fits == false; });
        const auto last = std::find_if(places.rbegin(), places.rend(), [](const LineChartData::Place& place) { return place.figure.has_value(); });
        if (last != places.rend() && !data_.lines[l].name.isEmpty()) names.push_back({at.yOf(*last->figure), l});
    }
    // From the top down, none over another, and none below the plot.
    std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
    const double apart = metrics.height();
    for (std::size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + apart);
    double lowest = at.plot.bottom();
    for (std::size_t i = names.size(); i-- > 0;) {
        names[i].y = std::min(names[i].y, lowest);
        lowest = names[i].y - apart;
    }
    for (const Name& name : names) {
        const QRectF box(at.plot.right() + 8, name.y - apart / 2, 400, apart);
        painter.setPen(colors.ink);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, data_.lines[name.line].name);
    }
    // The legend's words stand over the plot's right end, beside the axis's name.
    const QFontMetricsF axis(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    painter.setPen(colors.secondary);
    QStringList legend;
    if (hollow) legend << tr("○ does not fit");
    if (data_.target) legend << tr("– – asked for: %1").arg(figureWords(data_.figure, *data_.target));
    painter.drawText(QRectF(at.plot.left(), at.plot.top() - axis.height() - 2, at.plot.width(), axis.height()), Qt::AlignRight | Qt::AlignVCenter, legend.join(QStringLiteral("   ")));
}

const LineChartData::Place* LineChart::placeAt(const QPointF& position, std::size_t& line, std::size_t& x) const {
    if (data_.xs.empty()) return nullptr;
    const Frame at = frameIn(rect());
    const LineChartData::Place* best = nullptr;
    double nearest = lineReach * lineReach;
    for (std::size_t l = 0; l < data_.lines.size(); ++l)
        for (std::size_t i = 0; i < data_.lines[l].places.size(); ++i) {
            const LineChartData::Place& place = data_.lines[l].places[i];
            if (!place.figure) continue;
            const QPointF away = QPointF(at.xOf(data_.xs[i], i), at.yOf(*place.figure)) - position;
            const double distance = QPointF::dotProduct(away, away);
            if (distance > nearest) continue;
            nearest = distance;
            best = &place;
            line = l;
            x = i;
        }
    return best;
}

QString LineChart::words(std::size_t line, std::size_t x) const {
    const LineChartData::Place& place = data_.lines[line].places[x];
    QString text = tr("%1 = %2: %3 %4").arg(keyName(data_.key), valueWords(*data_.xs[x]), figureName(data_.figure), figureWords(data_.figure, *place.figure));
    if (data_.lines.size() > 1) text = data_.lines[line].name + QStringLiteral(", ") + text;
    if (place.fits == false) text += tr("; does not fit");
    return text;
}

void LineChart::mouseMoveEvent(QMouseEvent* event) {
    std::size_t line = 0, x = 0;
    if (placeAt(event->position(), line, x)) QToolTip::showText(event->globalPosition().toPoint(), words(line, x), this);
    else QToolTip::hideText();
}

void LineChart::mousePressEvent(QMouseEvent* event) {
    std::size_t line = 0, x = 0;
    if (const auto* place = placeAt(event->position(), line, x)) {
        choose(place->point);
        setAccessibleDescription(words(line, x));
        emit pointChosen(place->point);
    }
}

void LineChart::mouseDoubleClickEvent(QMouseEvent* event) {
    std::size_t line = 0, x = 0;
    if (const auto* place = placeAt(event->position(), line, x)) emit openRequested(place->point);
}

void LineChart::keyPressEvent(QKeyEvent* event) {
    std::vector<std::pair<std::size_t, std::size_t>> all; // line by line
    std::size_t now = 0;
    bool found = false;
    for (std::size_t l = 0; l < data_.lines.size(); ++l)
        for (std::size_t i = 0; i < data_.lines[l].places.size(); ++i) {
            if (!data_.lines[l].places[i].figure) continue;
            if (chosen_ == data_.lines[l].places[i].point) {
                now = all.size();
                found = true;
            }
            all.emplace_back(l, i);
        }
    if (all.empty()) return QWidget::keyPressEvent(event);
    std::size_t next = 0;
    switch (event->key()) {
    case Qt::Key_Right: next = found ? std::min(now + 1, all.size() - 1) : 0; break;
    case Qt::Key_Left: next = now > 0 ? now - 1 : 0; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_) emit openRequested(*chosen_);
        return;
    default: return QWidget::keyPressEvent(event);
    }
    const auto [line, x] = all[next];
    choose(data_.lines[line].places[x].point);
    setAccessibleDescription(words(line, x));
    emit pointChosen(*chosen_);
}

ChartPlot LineChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::lines;
    plot.x = 0;
    plot.y = {2};
    plot.xTitle = keyName(data_.key);
    plot.yTitle = figureInItsUnit(data_.figure);
    plot.series = 1;
    return plot;
}

QByteArray LineChart::csv() const {
    QByteArray lines = QByteArray::fromStdString(data_.key) + ",line," + QByteArray::fromStdString(data_.figure) + ",fits\n";
    for (const LineChartData::Line& line : data_.lines)
        for (std::size_t i = 0; i < line.places.size(); ++i) {
            const LineChartData::Place& place = line.places[i];
            lines += QByteArray::fromStdString(data_.xs[i]->dump()) + ",\"" + line.name.toUtf8() + "\"," + (place.figure ? QByteArray::number(*place.figure, 'g', 17) : QByteArray());
            lines += place.fits ? (*place.fits ? ",1\n" : ",0\n") : ",\n";
        }
    return lines;
}

} // namespace orrery
