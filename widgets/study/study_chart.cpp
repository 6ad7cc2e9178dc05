// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/study/study_chart.hpp"

#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/study/study_model.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

constexpr double margin = 12;
constexpr double swatch = 9;
constexpr double widestBar = 64;
constexpr double groupShare = 0.84; ///< of a group's width that its bars take

/// What bounds a point's time, in the colours that the timeline has for such work.
std::array<std::pair<const char*, QColor>, 4> colorsOfBounds(const ThemeColors& colors) {
    return {{{"compute", colors.forward}, {"memory", colors.recompute}, {"network", colors.tensor}, {"latency", colors.data}}};
}

} // namespace

StudyChart::StudyChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("study"), tr("Bars of the study"), {900, 420}, {320, 200}}, parent) {
}

void StudyChart::setResult(const StudyResultPtr& result) {
    const bool another = !result || !result_ || result->study.name != result_->study.name || result->points.size() != result_->points.size();
    result_ = result;
    if (another) chosen_ = -1;
    if (!result_ || plot_ >= result_->study.plots.size()) plot_ = 0;
    rebuild();
}

void StudyChart::setPlot(int plot) {
    if (!result_ || plot < 0 || static_cast<std::size_t>(plot) >= result_->study.plots.size()) return;
    plot_ = static_cast<std::size_t>(plot);
    rebuild();
}

void StudyChart::setShares(bool shares) {
    shares_ = shares;
    rebuild();
}

void StudyChart::rebuild() {
    bars_ = result_ ? studyBars(*result_, plot_, shares_) : StudyBars{};
    update();
}

void StudyChart::choose(int point) {
    if (!result_ || point >= static_cast<int>(result_->points.size())) point = -1;
    if (point == chosen_) return;
    chosen_ = point;
    if (point >= 0) setAccessibleDescription(describe(static_cast<std::size_t>(point)));
    update();
    emit chosenChanged(point);
}

QColor StudyChart::seriesColor(std::size_t series) const {
    const ThemeColors& colors = theme_.colors();
    const QColor palette[] = {colors.pipeline, colors.forward, colors.recompute, colors.backward, colors.tensor, colors.data, colors.optimizer, colors.backwardWeights};
    const QColor color = palette[series % std::size(palette)];
    return series < std::size(palette) ? color : theme_.isDark() ? color.darker(140)
                                                                 : color.lighter(130);
}

std::optional<std::size_t> StudyChart::boundPlot() const {
    if (!result_) return std::nullopt;
    const std::vector<StudyPlot>& plots = result_->study.plots;
    const auto found = std::find_if(plots.begin(), plots.end(), [](const StudyPlot& plot) { return plot.pointer == "/bottleneck/bound"; });
    return found == plots.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - plots.begin()));
}

std::optional<QColor> StudyChart::boundColor(std::size_t point) const {
    const auto plot = boundPlot();
    if (!plot || point >= result_->outcomes.size()) return std::nullopt;
    const std::string& word = result_->outcomes[point].numbers[*plot].word;
    for (const auto& [bound, color] : colorsOfBounds(theme_.colors()))
        if (word == bound) return color;
    return std::nullopt;
}

double StudyChart::Frame::barLeft(std::size_t group, std::size_t bar, std::size_t bars) const {
    const double middle = plot.left() + groupWidth * (static_cast<double>(group) + 0.5);
    return middle + barWidth * (static_cast<double>(bar) - static_cast<double>(bars) / 2);
}

double StudyChart::layOutLegend(const QRectF& area, QPainter* painter) const {
    std::vector<std::pair<QColor, QString>> keys;
    keys.reserve(bars_.legend.size());
    for (std::size_t i = 0; i < bars_.legend.size(); ++i) keys.emplace_back(seriesColor(i), bars_.legend[i]);
    if (boundPlot())
        for (const auto& [bound, color] : colorsOfBounds(theme_.colors())) keys.emplace_back(color, tr("bound by %1").arg(studyWord(bound)));
    if (keys.size() < 2 && bars_.order.isEmpty()) return 0;
    const QFontMetricsF metrics(theme_.secondaryFont());
    const double left = area.left() + margin, right = area.right() - margin, line = metrics.height() + 3;
    double x = left, y = area.top() + 4;
    for (const auto& [color, full] : keys) {
        const QString name = metrics.elidedText(full, Qt::ElideRight, right - left - 16);
        const double width = 15 + metrics.horizontalAdvance(name) + 2;
        if (x > left && x + width > right) {
            x = left;
            y += line;
        }
        if (painter) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(color);
            painter->drawRoundedRect(QRectF(x, y + (metrics.height() - swatch) / 2, swatch, swatch), 2, 2);
            painter->setPen(theme_.colors().ink);
            painter->setFont(theme_.secondaryFont());
            painter->drawText(QRectF(x + 15, y, width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
        x += width + 14;
    }
    if (!bars_.order.isEmpty()) {
        if (!keys.empty()) y += line;
        const QRectF box = metrics.boundingRect(QRectF(left, y, right - left, 1e4), Qt::TextWordWrap, tr("Bars of a group from left to right by %1; a click names one.").arg(bars_.order));
        if (painter) {
            painter->setPen(theme_.colors().secondary);
            painter->drawText(QRectF(left, y, right - left, box.height()), Qt::AlignLeft | Qt::TextWordWrap, tr("Bars of a group from left to right by %1; a click names one.").arg(bars_.order));
        }
        y += box.height() - metrics.height();
    }
    return y + line - area.top();
}

StudyChart::Frame StudyChart::frame(const QRectF& area) const {
    const QFontMetricsF axis(theme_.axisFont());
    Frame at;
    const AxisUnit unit = axisUnit(bars_.largest, bars_.unit);
    at.factor = unit.factor;
    at.unit = unit.name;
    at.maximum = bars_.largest > 0 ? bars_.largest / unit.factor : 1;
    const double top = area.top() + layOutLegend(area, nullptr) + 2 * axis.height() + 4; // the unit, and a bar's number
    const double bottom = area.bottom() - axis.height() - 10;
    at.step = roundTickStep(at.maximum, std::max(2, static_cast<int>((bottom - top) / 36)));
    const double left = area.left() + margin + axis.horizontalAdvance(grouped(at.maximum, at.step < 1 ? 2 : 0)) + 8;
    at.plot = QRectF(left, top, std::max(20.0, area.right() - margin - left), std::max(20.0, bottom - top));
    at.groupWidth = at.plot.width() / static_cast<double>(std::max<std::size_t>(1, bars_.groups.size()));
    at.barWidth = std::min(widestBar, at.groupWidth * groupShare / static_cast<double>(std::max<std::size_t>(1, bars_.series.size())));
    return at;
}

QRectF StudyChart::barRect(const Frame& at, std::size_t group, std::size_t bar) const {
    const StudyGroup& bars = bars_.groups[group];
    if (!bars.bars[bar].value) return {};
    const double top = at.y(*bars.bars[bar].value), gap = at.barWidth > 6 ? 1 : 0;
    return {at.barLeft(group, bar, bars.bars.size()) + gap, top, at.barWidth - 2 * gap, at.plot.bottom() - top};
}

QRectF StudyChart::barRect(std::size_t point) const {
    for (std::size_t group = 0; group < bars_.groups.size(); ++group)
        for (std::size_t bar = 0; bar < bars_.groups[group].bars.size(); ++bar)
            if (bars_.groups[group].bars[bar].point == point) return barRect(frame(rect()), group, bar);
    return {};
}

void StudyChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    draw(painter, rect(), true);
}

void StudyChart::draw(QPainter& painter, const QRectF& area, bool marks) const {
    if (bars_.groups.empty()) {
        drawEmptyState(painter, area, theme_, tr("A study's bars, a group for each value of its first axis."), tr("Open a study file."));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    layOutLegend(area, &painter);
    const Frame at = frame(area);
    drawAxis(painter, at);
    for (std::size_t group = 0; group < bars_.groups.size(); ++group) drawGroup(painter, at, group, marks);
}

void StudyChart::drawAxis(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(at.step) - 1e-9)));
    for (double value = 0; value <= at.maximum * (1 + 1e-9); value += at.step) {
        const double y = at.plot.bottom() - at.plot.height() * value / at.maximum;
        painter.setPen(QPen(value == 0 ? colors.line : colors.grid, 1));
        painter.drawLine(QPointF(at.plot.left(), y), QPointF(at.plot.right(), y));
        painter.setPen(colors.secondary);
        const QString text = grouped(value, decimals);
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(at.plot.left() - 5 - width, y - metrics.height() / 2, width, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.setPen(colors.secondary);
    const double width = metrics.horizontalAdvance(at.unit) + 2;
    painter.drawText(QRectF(std::max(at.plot.left() - 5 - width, margin / 2), at.plot.top() - 2 * metrics.height() - 2, width, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, at.unit);
}

void StudyChart::drawGroup(QPainter& painter, const Frame& at, std::size_t group, bool marks) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    const StudyGroup& bars = bars_.groups[group];
    for (std::size_t i = 0; i < bars.bars.size(); ++i) {
        const StudyBar& bar = bars.bars[i];
        const double left = at.barLeft(group, i, bars.bars.size());
        // What bounds the point: under its bar, and where words are plotted all the way up.
        if (const auto bound = boundColor(bar.point)) {
            painter.fillRect(QRectF(left, at.plot.bottom() + 2, at.barWidth, 4), *bound);
            if (!bar.value && !result_->outcomes[bar.point].numbers[plot_].word.empty()) {
                painter.fillRect(QRectF(left, at.plot.top(), std::max(1.0, at.barWidth - 1), at.plot.height()), *bound);
                continue;
            }
        }
        if (!bar.value) {
            if (!bar.done || at.barWidth < 6) continue;
            // A cross on the axis: this one has no number; the tooltip says why.
            painter.setPen(QPen(colors.error, 1.5));
            const QPointF middle(left + at.barWidth / 2, at.plot.bottom() - 6);
            painter.drawLine(middle - QPointF(3, 3), middle + QPointF(3, 3));
            painter.drawLine(middle - QPointF(3, -3), middle + QPointF(3, -3));
            continue;
        }
        const QRectF box = barRect(at, group, i);
        painter.fillRect(box, seriesColor(bar.series % std::max<std::size_t>(1, bars_.legend.size())));
        if (bar.formula) {
            const double y = at.y(*bar.formula);
            painter.setPen(QPen(colors.ink, 1.5));
            painter.drawLine(QPointF(box.left() - 1, y), QPointF(box.right() + 1, y));
        }
        if (marks && static_cast<int>(bar.point) == chosen_) {
            painter.setPen(QPen(colors.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box.adjusted(-1, -1, 1, 1));
        }
    }
    drawNumbers(painter, at, group);
    painter.setPen(colors.secondary);
    painter.setFont(theme_.axisFont());
    const double room = at.groupWidth - 4;
    if (room > 12) {
        const QRectF place(at.plot.left() + at.groupWidth * static_cast<double>(group) + 2, at.plot.bottom() + 5, room, metrics.height());
        painter.drawText(place, Qt::AlignCenter, metrics.elidedText(bars.name, Qt::ElideRight, room));
    }
}

namespace {

/// A number above its bar has three digits or so, a tiny one the first alone.
int decimalsOf(double value) {
    const double size = std::abs(value);
    if (size >= 100 || value == std::round(value)) return 0;
    if (size >= 10) return 1;
    return size >= 0.01 ? 2 : std::min(6, static_cast<int>(std::ceil(-std::log10(size))));
}

} // namespace

void StudyChart::drawNumbers(QPainter& painter, const Frame& at, std::size_t group) const {
    const QFontMetricsF metrics(theme_.axisFont());
    const StudyGroup& bars = bars_.groups[group];
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().ink);
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < bars.bars.size(); ++i) {
        const StudyBar& bar = bars.bars[i];
        if (!bar.value) continue;
        const QRectF box = barRect(at, group, i);
        const double value = *bar.value / at.factor;
        const QString text = grouped(value, decimalsOf(value));
        const double width = metrics.horizontalAdvance(text) + 3;
        const QRectF place(box.center().x() - width / 2, box.top() - metrics.height() - 2, width, metrics.height());
        // A number wider than its bar may stand over a lower neighbour, never over another number or a taller bar.
        const bool covered = std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(place); });
        bool inTaller = false;
        for (std::size_t j = 0; j < bars.bars.size(); ++j)
            inTaller = inTaller || (j != i && barRect(at, group, j).intersects(place));
        const double start = at.plot.left() + at.groupWidth * static_cast<double>(group);
        if (covered || inTaller || place.left() < start || place.right() > start + at.groupWidth) continue;
        painter.drawText(place, Qt::AlignCenter, text);
        taken.push_back(place);
        // A chain says what the step adds, above the number it leads to.
        const QString step = stepText(*result_, plot_, bar.point).section(QLatin1Char(' '), 0, 1).remove(QLatin1Char(','));
        const QRectF above(start, place.top() - metrics.height(), at.groupWidth, metrics.height());
        if (!step.isEmpty() && above.top() > 0) {
            painter.setPen(theme_.colors().accent);
            painter.drawText(above, Qt::AlignCenter, step);
            painter.setPen(theme_.colors().ink);
        }
    }
}

QString StudyChart::describe(std::size_t point) const {
    const StudyPlot& plot = result_->study.plots[plot_];
    QString text = QString::fromStdString(result_->points[point].name);
    if (point >= result_->outcomes.size()) return tr("%1\nnot simulated yet").arg(text);
    const StudyOutcome& outcome = result_->outcomes[point];
    const StudyNumber& number = outcome.numbers[plot_];
    const QString unit = QString::fromStdString(plot.unit);
    text += QLatin1Char('\n') + QString::fromStdString(plot.name);
    if (number.value) text += QStringLiteral(": ") + studyNumber(*number.value, unit).text();
    const StudyBars shares = studyBars(*result_, plot_, true);
    if (!plot.baseline.empty())
        for (const StudyGroup& group : shares.groups)
            for (const StudyBar& bar : group.bars)
                if (bar.point == point && bar.value) text += tr(" · %1 of %2").arg(readablePercent(*bar.value).text(), QString::fromStdString(plot.baseline));
    if (!number.word.empty()) text += QStringLiteral(": ") + studyWord(number.word);
    if (const auto bound = boundPlot(); bound && *bound != plot_ && !outcome.numbers[*bound].word.empty())
        text += QLatin1Char('\n') + QString::fromStdString(result_->study.plots[*bound].name) + QStringLiteral(": ") + studyWord(outcome.numbers[*bound].word);
    if (const QString step = stepText(*result_, plot_, point); !step.isEmpty()) text += QLatin1Char('\n') + step;
    if (number.formula) text += tr("\nclosed form: %1").arg(studyNumber(*number.formula, unit).text());
    if (!number.formulaText.empty()) text += tr("\n= %1").arg(QString::fromStdString(number.formulaText));
    for (const Problem& problem : outcome.problems) text += QLatin1Char('\n') + QString::fromStdString(problem.message);
    return text;
}

std::optional<std::size_t> StudyChart::pointAt(const QPointF& position) const {
    if (bars_.groups.empty()) return std::nullopt;
    const Frame at = frame(rect());
    if (position.y() < at.plot.top() - 16 || position.y() > at.plot.bottom() + 20) return std::nullopt;
    for (std::size_t group = 0; group < bars_.groups.size(); ++group)
        for (std::size_t i = 0; i < bars_.groups[group].bars.size(); ++i) {
            const double left = at.barLeft(group, i, bars_.groups[group].bars.size());
            if (position.x() >= left && position.x() < left + at.barWidth) return bars_.groups[group].bars[i].point;
        }
    return std::nullopt;
}

void StudyChart::mouseMoveEvent(QMouseEvent* event) {
    const auto point = pointAt(event->position());
    if (point) QToolTip::showText(event->globalPosition().toPoint(), describe(*point), this);
    else QToolTip::hideText();
}

void StudyChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const auto point = pointAt(event->position());
    choose(point ? static_cast<int>(*point) : -1);
}

void StudyChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto point = pointAt(event->position())) emit openRequested(static_cast<int>(*point));
}

void StudyChart::keyPressEvent(QKeyEvent* event) {
    const int last = result_ ? static_cast<int>(result_->points.size()) - 1 : -1;
    switch (event->key()) {
    case Qt::Key_Right: choose(std::min(chosen_ + 1, last)); return;
    case Qt::Key_Left: choose(std::max(chosen_ - 1, std::min(0, last))); return;
    case Qt::Key_Home: choose(std::min(0, last)); return;
    case Qt::Key_End: choose(last); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_ >= 0) emit openRequested(chosen_);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void StudyChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (chosen_ < 0 && event->reason() == Qt::TabFocusReason) choose(0);
}

ChartHeading StudyChart::heading() const {
    if (!result_) return {tr("Study"), {}};
    const StudyPlot& plot = result_->study.plots[plot_];
    const QString of = shares_ && !plot.baseline.empty() ? tr("%1, in percent of %2").arg(QString::fromStdString(plot.name), QString::fromStdString(plot.baseline))
                                                         : QString::fromStdString(plot.name);
    return {QString::fromStdString(result_->study.name), of};
}

QString StudyChart::whyNothing() const { return bars_.groups.empty() ? tr("It shows a study's bars. Open a study file.") : QString(); }

void StudyChart::renderBody(QPainter& painter, const QRectF& area) const { draw(painter, area, false); }

QByteArray StudyChart::csv() const {
    if (!result_) return {};
    const auto cell = [](const std::string& text) { return '"' + QByteArray::fromStdString(text).replace('"', "\"\"") + '"'; };
    QByteArray text;
    for (const StudyAxis& axis : result_->study.axes) text += cell(axis.name) + ',';
    for (const StudyPlot& plot : result_->study.plots) {
        text += cell(plot.name + (plot.unit.empty() ? "" : " (" + plot.unit + ")")) + ',' + cell(plot.name + ", closed form") + ',';
    }
    text += "problem\n";
    for (std::size_t i = 0; i < result_->outcomes.size(); ++i) {
        const StudyPoint& point = result_->points[i];
        for (std::size_t axis = 0; axis < point.choice.size(); ++axis) text += cell(result_->study.axes[axis].values[point.choice[axis]].name) + ',';
        for (const StudyNumber& number : result_->outcomes[i].numbers) {
            const auto digits = [](const std::optional<double>& value) { return value ? QByteArray::number(*value, 'g', 17) : QByteArray(); };
            text += (number.word.empty() ? digits(number.value) : cell(number.word)) + ',' + digits(number.formula) + ',';
        }
        text += cell(result_->outcomes[i].problems.empty() ? "" : result_->outcomes[i].problems.front().message) + '\n';
    }
    return text;
}

} // namespace orrery
