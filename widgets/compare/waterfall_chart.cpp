// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/waterfall_chart.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/compare/compared.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/value_axis.hpp"
#include "widgets/insight/difference_bars.hpp"

#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Share of the largest part; less has no height.
constexpr double leastStep = 0.005;
constexpr std::size_t mostSteps = 10;
constexpr double leastScale = 0.75; ///< of a figure that has little room

QString fieldOf(const QString& text) { return u'"' + QString(text).replace(u'"', QStringLiteral("\"\"")) + u'"'; }

} // namespace

struct WaterfallChart::Frame {
    QRectF plot;
    ValueAxis axis;
    double column = 0; ///< width of a column with its gap
    double y(double value) const { return plot.bottom() - axis.share(value) * plot.height(); }
    QRectF bar(std::size_t index, double from, double to) const {
        const double left = plot.left() + column * (double(index) + 0.15);
        return QRectF(left, std::min(y(from), y(to)), column * 0.7, std::max(1.0, std::abs(y(from) - y(to))));
    }
};

WaterfallChart::WaterfallChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("difference"), tr("Where the difference comes from"), {480, 220}, {240, 120}, Qt::NoFocus}, parent) {
}

void WaterfallChart::setComparison(std::optional<Comparison> comparison, const QString& from, const QString& to) {
    comparison_ = std::move(comparison);
    from_ = from;
    to_ = to;
    steps_.clear();
    if (comparison_) {
        std::vector<Comparison::Part> parts = comparison_->parts;
        std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return std::abs(a.delta) > std::abs(b.delta); });
        const double largest = parts.empty() ? 0 : std::abs(parts.front().delta);
        Comparison::Part rest{tr("all else").toStdString(), 0};
        for (const Comparison::Part& part : parts) {
            if (steps_.size() < mostSteps && std::abs(part.delta) > leastStep * largest) steps_.push_back(part);
            else rest.delta += part.delta;
        }
        // What rounding leaves is no step of its own.
        constexpr double rounding = 1e-6; // of the largest part
        if (std::abs(rest.delta) > rounding * largest) steps_.push_back(rest);
        else if (!steps_.empty()) steps_.front().delta += rest.delta;
    }
    QStringList words;
    for (const Comparison::Part& step : steps_) words << tr("%1 %2").arg(partWords(step.name), signedFigure(comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric, step.delta));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

QString WaterfallChart::whyNothing() const {
    if (!comparison_) return tr("Choose two scenarios with results of one kind.");
    return steps_.empty() ? tr("Both take the same.") : QString();
}

ChartHeading WaterfallChart::heading() const {
    if (!comparison_) return {tr("Where the difference comes from"), {}};
    const std::string pointer = comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric;
    return {tr("Where the difference comes from"), tr("%1 of %2, %3 → %4; the parts add up").arg(signedFigure(pointer, comparison_->difference), figureName(pointer), from_, to_)};
}

ChartPlot WaterfallChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::bars;
    plot.x = 0;
    plot.y = {1};
    plot.xTitle = tr("part");
    if (comparison_) plot.yTitle = tr("difference, %1").arg(figureInItsUnit(comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric));
    return plot;
}

QByteArray WaterfallChart::csv() const {
    QString text = QStringLiteral("part,delta\n");
    if (comparison_)
        for (const Comparison::Part& part : comparison_->parts) text += fieldOf(partWords(part.name)) + u',' + QString::number(part.delta, 'g', 17) + u'\n';
    return text.toUtf8();
}

WaterfallChart::Frame WaterfallChart::frameIn(const QRectF& area) const {
    Frame frame;
    const QFontMetricsF axis(theme_.axisFont());
    double least = std::min(comparison_->a, comparison_->b), most = std::max(comparison_->a, comparison_->b), at = comparison_->a;
    for (const Comparison::Part& step : steps_) {
        at += step.delta;
        least = std::min(least, at);
        most = std::max(most, at);
    }
    // Small differences of large figures are drawn from where they begin; the axis then says so.
    const double air = (most - least) * 0.25;
    frame.axis = {least - air > most * 0.25 ? least - air : std::min(0.0, least), most + (most - least) * 0.05, false};
    if (!(frame.axis.high > frame.axis.low)) frame.axis.high = frame.axis.low + 1;
    const double left = axis.horizontalAdvance(QStringLiteral("000.00 ms")) + 8;
    frame.plot = area.adjusted(left, axis.height() + 6, -8, -2 * axis.height() - 6);
    frame.column = frame.plot.width() / double(steps_.size() + 2);
    return frame;
}

std::optional<QRectF> WaterfallChart::stepRect(std::size_t step) const {
    if (step >= steps_.size()) return std::nullopt;
    double at = comparison_->a;
    for (std::size_t i = 0; i < step; ++i) at += steps_[i].delta;
    if (const Frame frame = frameIn(rect()); needsRows(frame)) {
        const double top = frame.axis.low > 0 ? QFontMetricsF(theme_.axisFont()).height() + 2 : 2, row = (height() - top - 2) / static_cast<double>(steps_.size() + 2);
        return QRectF(0, top + row * static_cast<double>(step + 1), width(), row);
    }
    return frameIn(rect()).bar(step + 1, at, at + steps_[step].delta);
}

void WaterfallChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (const QString why = whyNothing(); !why.isEmpty()) return drawEmptyState(painter, rect(), theme_, comparison_ ? why : tr("Nothing to compare yet."), comparison_ ? QString() : why);
    draw(painter, rect());
}

void WaterfallChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (!steps_.empty()) draw(painter, area);
}

/// Whether a column is too narrow for its figure or for a word of its name.
bool WaterfallChart::needsRows(const Frame& frame) const {
    const QFontMetricsF metrics(theme_.axisFont());
    const std::string pointer = comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric;
    const auto isWider = [&](const QString& text) { return metrics.horizontalAdvance(text) > frame.column - 2; };
    return std::any_of(steps_.begin(), steps_.end(), [&](const Comparison::Part& step) {
        const QStringList words = partWords(step.name).split(u' ');
        return leastScale * metrics.horizontalAdvance(signedFigure(pointer, step.delta)) > frame.column - 2 || std::any_of(words.begin(), words.end(), isWider);
    });
}

/// In a narrow column of a page each step is a row: its name before it, its figure after it, and nothing is cut.
void WaterfallChart::drawRows(QPainter& painter, const QRectF& area) const {
    constexpr double edge = 4, gap = 6; // px
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    const std::string pointer = comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric;
    struct Row {
        QString name, figure;
        double from = 0, to = 0;
        bool whole = false;
    };
    const Frame scale = frameIn(area);
    std::vector<Row> rows{{from_, figureWords(pointer, comparison_->a), scale.axis.low, comparison_->a, true}};
    double reached = comparison_->a;
    for (const Comparison::Part& step : steps_) {
        rows.push_back({partWords(step.name), signedFigure(pointer, step.delta), reached, reached + step.delta, false});
        reached += step.delta;
    }
    rows.push_back({to_, figureWords(pointer, comparison_->b), scale.axis.low, comparison_->b, true});
    double names = 0, figures = 0;
    for (const Row& row : rows) {
        names = std::max(names, metrics.horizontalAdvance(row.name));
        figures = std::max(figures, metrics.horizontalAdvance(row.figure));
    }
    // A name that takes more than its share stands above its bar, across the whole width.
    const bool above = names > 0.45 * area.width();
    const double line = metrics.height(), top = area.top() + (scale.axis.low > 0 ? line + 2 : 2), height = (area.bottom() - top - 2) / static_cast<double>(rows.size());
    const double left = area.left() + edge + (above ? 0 : names + gap), right = area.right() - edge - figures - gap;
    const auto x = [&](double value) { return left + scale.axis.share(value) * std::max(10.0, right - left); };
    painter.setFont(theme_.axisFont());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        const double y = top + height * static_cast<double>(i), barTop = above ? y + line : y;
        const double barHeight = std::max(3.0, above ? height - line : height);
        const bool better = (row.to < row.from) == lessIsBetter(pointer);
        QColor fill = row.whole ? colors.secondary : better ? colors.good
                                                            : colors.warning;
        painter.setPen(row.whole ? colors.ink : colors.secondary);
        painter.drawText(above ? QRectF(area.left() + edge, y, area.width() - 2 * edge, line) : QRectF(area.left() + edge, y, names + 2, height), (above ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, row.name);
        const QRectF bar(std::min(x(row.from), x(row.to)), barTop + 0.18 * barHeight, std::max(1.0, std::abs(x(row.to) - x(row.from))), 0.64 * barHeight);
        painter.setPen(fill);
        if (!row.whole) fill.setAlphaF(0.45F);
        painter.setBrush(row.whole && i == 0 ? QBrush(Qt::NoBrush) : QBrush(fill));
        painter.drawRect(bar);
        painter.setPen(row.whole ? colors.ink : better ? colors.good
                                                       : colors.warning);
        painter.drawText(QRectF(area.right() - edge - figures - 2, barTop, figures + 2, barHeight), Qt::AlignRight | Qt::AlignVCenter, row.figure);
        if (i + 1 < rows.size()) {
            painter.setPen(QPen(colors.secondary, 1, Qt::DotLine));
            painter.drawLine(QPointF(x(row.to), bar.bottom()), QPointF(x(row.to), bar.bottom() + height - bar.height()));
        }
    }
    if (scale.axis.low > 0) {
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(area.left() + edge, area.top(), area.width() - 2 * edge, line), Qt::AlignRight, tr("axis from %1").arg(figureWords(pointer, scale.axis.low)));
    }
}

void WaterfallChart::draw(QPainter& painter, const QRectF& area) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = theme_.colors();
    const Frame frame = frameIn(area);
    if (needsRows(frame)) return drawRows(painter, area);
    const QFontMetricsF metrics(theme_.axisFont());
    const std::string pointer = comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric;
    painter.setFont(theme_.axisFont());
    const FigureScale scale = figureScale(pointer, frame.axis.high);
    const double step = frame.axis.step(5, scale.factor);
    for (const double tick : frame.axis.ticks(5, scale.factor)) {
        const double y = frame.y(tick);
        painter.setPen(colors.grid);
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(area.left(), y - 8, frame.plot.left() - area.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, tickText(tick / scale.factor, step) + u' ' + scale.unit);
    }
    const double lineHeight = metrics.height();
    const auto label = [&](std::size_t index, const QString& text, bool strong) {
        painter.setPen(strong ? colors.ink : colors.secondary);
        const QRectF box(frame.plot.left() + frame.column * double(index) + 1, frame.plot.bottom() + 3, frame.column - 2, 2 * lineHeight);
        // Two lines at most: what is longer is cut.
        QStringList words, lines{QString()};
        for (QString word : text.split(u' ')) {
            // A word that is wider than its column is broken: its rest stands in the next line.
            qsizetype fits = word.size();
            while (fits > 3 && metrics.horizontalAdvance(word.left(fits) + (fits < word.size() ? QStringLiteral("-") : QString())) > box.width()) --fits;
            if (fits > 3 && fits < word.size() - 1) {
                words << word.left(fits) + u'-';
                word = word.mid(fits);
            }
            words << word;
        }
        for (const QString& word : words) {
            const QString longer = lines.back().isEmpty() ? word : lines.back() + u' ' + word;
            const bool breaks = !lines.back().isEmpty() && lines.size() < 2 && metrics.horizontalAdvance(longer) > box.width();
            if (breaks) lines << word;
            else lines.back() = longer;
        }
        for (qsizetype i = 0; i < lines.size(); ++i)
            painter.drawText(QRectF(box.left(), box.top() + lineHeight * double(i), box.width(), lineHeight), Qt::AlignCenter, metrics.elidedText(lines[i], Qt::ElideRight, box.width()));
    };
    const auto whole = [&](std::size_t index, double value, const QString& name, bool filled) {
        const QRectF bar = frame.bar(index, frame.axis.low, value);
        painter.setBrush(filled ? QBrush(colors.secondary) : QBrush(Qt::NoBrush));
        painter.setPen(colors.secondary);
        painter.drawRect(bar);
        painter.setPen(colors.ink);
        painter.drawText(QRectF(bar.center().x() - frame.column / 2, bar.top() - lineHeight - 1, frame.column, lineHeight), Qt::AlignCenter, figureWords(pointer, value));
        label(index, name, true);
    };
    whole(0, comparison_->a, from_, false);
    double at = comparison_->a;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const double next = at + steps_[i].delta;
        const QRectF bar = frame.bar(i + 1, at, next);
        const bool better = (steps_[i].delta < 0) == lessIsBetter(pointer);
        QColor fill = better ? colors.good : colors.warning;
        painter.setPen(QPen(colors.secondary, 1, Qt::DotLine));
        painter.drawLine(QPointF(frame.bar(i, at, at).right(), frame.y(at)), QPointF(bar.left(), frame.y(at)));
        painter.setPen(fill);
        fill.setAlphaF(0.45F);
        painter.setBrush(fill);
        painter.drawRect(bar);
        painter.setPen(better ? colors.good : colors.warning);
        const QString text = signedFigure(pointer, steps_[i].delta);
        const bool below = steps_[i].delta < 0 && bar.bottom() + lineHeight + 2 < frame.plot.bottom();
        const double textTop = below ? bar.bottom() + 1 : bar.top() - lineHeight - 1;
        const QRectF box(bar.center().x() - frame.column / 2, textTop, frame.column, lineHeight);
        painter.save();
        // A figure without its unit says nothing: where columns are narrow it is written smaller before it is cut.
        QFont font = painter.font();
        if (const double room = (frame.column - 2) / metrics.horizontalAdvance(text); room < 1) font.setPointSizeF(font.pointSizeF() * std::clamp(room - 0.1, leastScale, 1.0));
        painter.setFont(font);
        painter.drawText(box, Qt::AlignCenter, QFontMetricsF(font).elidedText(text, Qt::ElideRight, frame.column));
        painter.restore();
        label(i + 1, partWords(steps_[i].name), false);
        at = next;
    }
    const std::size_t last = steps_.size() + 1;
    painter.setPen(QPen(colors.secondary, 1, Qt::DotLine));
    painter.drawLine(QPointF(frame.bar(last - 1, at, at).right(), frame.y(at)), QPointF(frame.bar(last, at, at).left(), frame.y(at)));
    whole(last, comparison_->b, to_, true);
    if (frame.axis.low > 0) {
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(area.left() + 4, area.top(), area.width() - 12, lineHeight), Qt::AlignRight, tr("axis from %1").arg(figureWords(pointer, frame.axis.low)));
    }
}

void WaterfallChart::mouseMoveEvent(QMouseEvent* event) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const QRectF bar = *stepRect(i);
        const bool inColumn = event->position().x() >= bar.left() && event->position().x() <= bar.right();
        if (!inColumn || (needsRows(frameIn(rect())) && !bar.contains(event->position()))) continue;
        return QToolTip::showText(event->globalPosition().toPoint(), tr("%1: %2").arg(partWords(steps_[i].name), signedFigure(comparison_->metric.starts_with('/') ? comparison_->metric : "/" + comparison_->metric, steps_[i].delta)), this);
    }
    QToolTip::hideText();
}

} // namespace orrery
