// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/parallel_chart.hpp"

#include "core/base/json.hpp"
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

constexpr double parallelMargin = 12, axisReach = 10, parallelReach = 5, dragReach = 4; // px
constexpr double nameAir = 6, tickAir = 12;                                             // px beside a name, and about the word of a value
constexpr double keyAir = 0.35;                                                         // of the way between two values, beyond the outermost

/// Where a value of a key lies: whole numbers, with some air at both ends.
ValueAxis keyScale(std::size_t values) { return {-keyAir, static_cast<double>(values) - 1 + keyAir}; }

double numberAt(const ValueAxis& axis, double share) { return axis.logarithmic ? axis.low * std::pow(axis.high / axis.low, share) : axis.low + share * (axis.high - axis.low); }

double distanceToSegment(const QPointF& point, const QPointF& a, const QPointF& b) {
    const QPointF along = b - a, to = point - a;
    const double length = QPointF::dotProduct(along, along);
    const double share = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0;
    const QPointF away = to - share * along;
    return std::hypot(away.x(), away.y());
}

} // namespace

struct ParallelChart::Frame {
    QRectF plot;
    QRectF legend;
    bool upright = false; ///< names stand on their axes: side by side they would be cut
    double name = 0;      ///< px that a name takes over its axis: a line's height, or an upright name's length
    double room = 0;      ///< px that an axis has for words over and under it
    std::vector<double> xs;
    std::vector<double> rooms; ///< px that an axis has for the words of its values
    std::vector<ValueAxis> scales;
    QPointF at(std::size_t axis, double value) const { return {xs[axis], plot.bottom() - std::clamp(scales[axis].share(value), 0.0, 1.0) * plot.height()}; }
};

ParallelChart::ParallelChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("search-parallel"), tr("Plans across all keys and figures")}, parent) {}

void ParallelChart::dress() {
    lines_ = {};
    update();
}

void ParallelChart::setData(ParallelPlans data) {
    if (!areSameAxes(data.axes, data_.axes)) {
        brushes_.assign(data.axes.size(), std::nullopt);
        current_.reset();
        drag_.reset();
    }
    data_ = std::move(data);
    scales_.clear();
    for (std::size_t i = 0; i < data_.axes.size(); ++i) {
        if (data_.axes[i].isKey()) {
            scales_.push_back(keyScale(data_.axes[i].values.size()));
            continue;
        }
        double least = 0, most = 1;
        bool any = false;
        for (const ParallelPlans::Plan& plan : data_.plans) {
            if (!plan.at[i] || plan.isFallen()) continue; // where those lie beyond, the axis's end says enough
            least = any ? std::min(least, *plan.at[i]) : *plan.at[i];
            most = any ? std::max(most, *plan.at[i]) : *plan.at[i];
            any = true;
        }
        scales_.push_back(ValueAxis::aroundSpread(least, most));
    }
    const bool kept = chosen_ && std::any_of(data_.plans.begin(), data_.plans.end(), [this](const ParallelPlans::Plan& plan) { return plan.point == *chosen_; });
    if (!kept) chosen_.reset();
    lines_ = {};
    update();
}

void ParallelChart::setBrush(std::size_t axis, std::optional<Brush> brush) {
    if (axis >= brushes_.size() || brushes_[axis] == brush) return;
    brushes_[axis] = brush;
    lines_ = {};
    update();
    emit brushed();
}

void ParallelChart::clearBrushes() {
    if (std::none_of(brushes_.begin(), brushes_.end(), [](const auto& brush) { return brush.has_value(); })) return;
    brushes_.assign(brushes_.size(), std::nullopt);
    lines_ = {};
    update();
    emit brushed();
}

std::vector<std::size_t> ParallelChart::within() const {
    std::vector<std::size_t> plans;
    for (std::size_t i = 0; i < data_.plans.size(); ++i)
        if (!data_.plans[i].isFallen() && isWithin(data_.plans[i], brushes_)) plans.push_back(i);
    return plans;
}

void ParallelChart::choose(std::optional<std::size_t> point) {
    if (point == chosen_) return;
    chosen_ = point;
    update();
}

QString ParallelChart::whyNothing() const { return data_.plans.empty() ? tr("Plans as lines across all keys and figures. Run a search.") : QString(); }

ChartHeading ParallelChart::heading() const { return {tr("Plans across keys and figures"), {}}; }

QString ParallelChart::legend() const {
    QString words = tr("thick: front · dotted grey: does not fit, or breaks a constraint");
    if (data_.simulated() < data_.plans.size()) words += tr(" · grey: fell by estimate");
    return words;
}

double ParallelChart::widestValue(std::size_t axis) const {
    const QFontMetricsF metrics(theme_.axisFont());
    double widest = data_.axes[axis].isKey() ? 0 : metrics.horizontalAdvance(QStringLiteral("000"));
    for (const auto& value : data_.axes[axis].values) widest = std::max(widest, metrics.horizontalAdvance(valueWords(*value)));
    return widest;
}

ParallelChart::Frame ParallelChart::frameIn(const QRectF& area) const {
    Frame frame;
    frame.scales = scales_;
    const QFontMetricsF metrics(theme_.axisFont());
    const double line = metrics.height(), width = area.width() - 2 * parallelMargin;
    const std::size_t count = std::max<std::size_t>(1, data_.axes.size());
    frame.room = width / static_cast<double>(count);
    double longest = 0, needed = 0;
    bool cut = false;
    std::vector<double> needs;
    for (std::size_t i = 0; i < data_.axes.size(); ++i) {
        longest = std::max(longest, metrics.horizontalAdvance(data_.axes[i].name));
        needs.push_back(widestValue(i) + tickAir);
        needed += needs.back();
        cut = cut || needs.back() > frame.room;
    }
    frame.upright = longest > frame.room - nameAir;
    frame.name = frame.upright ? longest + 2 : line;
    const double legendHeight = metrics.boundingRect(QRectF(0, 0, width, 100 * line), Qt::TextWordWrap, legend()).height();
    frame.legend = QRectF(area.left() + parallelMargin, area.top() + 2, width, legendHeight);
    const double top = frame.legend.bottom() + frame.name + line + 6, bottom = area.bottom() - line - 8;
    frame.plot = QRectF(area.left() + parallelMargin, top, width, std::max(20.0, bottom - top));
    // Axes stand evenly while that cuts no value; else each has what its own values need.
    const bool even = !cut || needed > width;
    double left = frame.plot.left();
    for (std::size_t i = 0; i < data_.axes.size(); ++i) {
        frame.rooms.push_back(even ? frame.room : needs[i] + (width - needed) / static_cast<double>(count));
        frame.xs.push_back(even ? left + 0.5 * frame.room : left + tickAir / 2);
        left += frame.rooms.back();
    }
    return frame;
}

QPointF ParallelChart::placeOf(std::size_t axis, double at) const { return frameIn(rect()).at(axis, at); }

void ParallelChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (data_.plans.empty()) return drawEmptyState(painter, rect(), theme_, tr("Plans as lines across all keys and figures."), tr("Look at the space, then search."));
    const Frame frame = frameIn(rect());
    const double pixels = devicePixelRatioF();
    if (lines_.isNull() || lines_.size() != size() * pixels) {
        lines_ = QPixmap(size() * pixels);
        lines_.setDevicePixelRatio(pixels);
        lines_.fill(Qt::transparent);
        QPainter onto(&lines_);
        onto.setRenderHint(QPainter::Antialiasing);
        drawLines(onto, frame);
    }
    painter.drawPixmap(0, 0, lines_);
    painter.setRenderHint(QPainter::Antialiasing);
    drawBrushes(painter, frame);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.colors().accent, 2.4));
    for (const ParallelPlans::Plan& plan : data_.plans)
        if (chosen_ == plan.point) drawLine(painter, frame, plan);
    drawAxes(painter, frame, true);
}

void ParallelChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (data_.plans.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const Frame frame = frameIn(area);
    drawLines(painter, frame);
    drawBrushes(painter, frame);
    drawAxes(painter, frame, false);
}

void ParallelChart::drawLine(QPainter& painter, const Frame& frame, const ParallelPlans::Plan& plan) const {
    QPolygonF line;
    for (std::size_t i = 0; i < plan.at.size(); ++i) {
        if (plan.at[i]) {
            line << frame.at(i, *plan.at[i]);
            continue;
        }
        if (line.size() > 1) painter.drawPolyline(line);
        line.clear();
    }
    if (line.size() > 1) painter.drawPolyline(line);
}

void ParallelChart::drawLines(QPainter& painter, const Frame& frame) const {
    const ThemeColors& colors = theme_.colors();
    QColor outside = colors.grid, fallen = colors.faint, impossible = colors.faint, possible = theme_.asLine(colors.firstStage);
    fallen.setAlphaF(0.4F);
    impossible.setAlphaF(0.75F);
    possible.setAlphaF(0.6F);
    painter.setBrush(Qt::NoBrush);
    // What matters more is drawn over what matters less.
    const auto drawThose = [&](const QPen& pen, auto which) {
        painter.setPen(pen);
        for (const ParallelPlans::Plan& plan : data_.plans)
            if (which(plan)) drawLine(painter, frame, plan);
    };
    drawThose(QPen(outside, 1), [this](const ParallelPlans::Plan& plan) { return !isWithin(plan, brushes_); });
    drawThose(QPen(fallen, 1), [this](const ParallelPlans::Plan& plan) { return plan.isFallen() && isWithin(plan, brushes_); });
    drawThose(QPen(impossible, 1, Qt::DotLine), [this](const ParallelPlans::Plan& plan) { return !plan.feasible && !plan.isFallen() && isWithin(plan, brushes_); });
    drawThose(QPen(possible, 1), [this](const ParallelPlans::Plan& plan) { return plan.feasible && !plan.onFront && isWithin(plan, brushes_); });
    drawThose(QPen(theme_.asLine(colors.lastStage), 1.8), [this](const ParallelPlans::Plan& plan) { return plan.onFront && isWithin(plan, brushes_); });
}

void ParallelChart::drawAxes(QPainter& painter, const Frame& frame, bool marks) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    const double line = metrics.height();
    painter.setFont(theme_.axisFont());
    painter.setPen(colors.secondary);
    painter.drawText(frame.legend, Qt::AlignRight | Qt::AlignVCenter | Qt::TextWordWrap, legend());
    for (std::size_t i = 0; i < data_.axes.size(); ++i) {
        const ParallelAxis& axis = data_.axes[i];
        const double x = frame.xs[i];
        painter.setPen(QPen(marks && hasFocus() && current_ == i ? colors.accent : colors.secondary, 1));
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
        painter.setPen(colors.ink);
        const double room = frame.room - nameAir;
        if (frame.upright) {
            painter.save();
            painter.translate(x, frame.plot.top() - line - 3);
            painter.rotate(-90);
            painter.drawText(QRectF(0, -line / 2, frame.name, line), Qt::AlignLeft | Qt::AlignVCenter, axis.name);
            painter.restore();
        } else {
            painter.drawText(QRectF(x - room / 2, frame.plot.top() - 2 * line - 3, room, line), Qt::AlignCenter, axis.name);
        }
        if (!axis.isKey()) {
            painter.setPen(colors.secondary);
            const QString better = axis.mostIsBetter ? tr("↑ better") : tr("↓ better"); // the arrow alone where there is no room
            const FigureScale scale = figureScale(axis.pointer, std::abs(scales_[i].high));
            if (!scale.unit.isEmpty()) painter.drawText(QRectF(x - room / 2, frame.plot.top() - line - 3, room, line), Qt::AlignCenter, scale.unit);
            painter.drawText(QRectF(x - room / 2, frame.plot.bottom() + 4, room, line), Qt::AlignCenter, metrics.horizontalAdvance(better) > room ? better.left(1) : better);
        }
        drawTicks(painter, frame, i);
    }
}

void ParallelChart::drawTicks(QPainter& painter, const Frame& frame, std::size_t axis) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    const double line = metrics.height(), room = frame.rooms[axis] - tickAir;
    QColor halo = colors.panel;
    halo.setAlphaF(0.8F);
    double free = frame.plot.bottom() + line;
    const auto label = [&](double at, const QString& text) {
        const QPointF place = frame.at(axis, at);
        if (place.y() + line / 2 > free) return;
        free = place.y() - line / 2 - 1;
        const QString shown = metrics.elidedText(text, Qt::ElideRight, room);
        const QRectF box(place.x() + 5, place.y() - line / 2, metrics.horizontalAdvance(shown) + 2, line);
        painter.fillRect(box, halo);
        painter.setPen(colors.secondary);
        painter.drawLine(place, place + QPointF(4, 0));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, shown);
    };
    const ParallelAxis& of = data_.axes[axis];
    if (of.isKey()) {
        for (std::size_t value = 0; value < of.values.size(); ++value) label(static_cast<double>(value), valueWords(*of.values[value]));
        return;
    }
    const FigureScale scale = figureScale(of.pointer, std::abs(scales_[axis].high));
    const int most = std::max(3, static_cast<int>(frame.plot.height() / 34)); // one tick alone gives no scale
    for (const double tick : scales_[axis].ticks(most, scale.factor)) label(tick, tickText(tick / scale.factor, scales_[axis].step(most, scale.factor)));
}

void ParallelChart::drawBrushes(QPainter& painter, const Frame& frame) const {
    QColor fill = theme_.colors().accent;
    fill.setAlphaF(0.22F);
    painter.setPen(QPen(theme_.colors().accent, 1));
    painter.setBrush(fill);
    for (std::size_t i = 0; i < brushes_.size(); ++i) {
        if (!brushes_[i]) continue;
        const QPointF low = frame.at(i, brushes_[i]->low), high = frame.at(i, brushes_[i]->high);
        painter.drawRoundedRect(QRectF(high.x() - 6, high.y(), 12, std::max(3.0, low.y() - high.y())), 3, 3);
    }
}

std::optional<std::size_t> ParallelChart::axisAt(const QPointF& position) const {
    if (data_.plans.empty()) return std::nullopt;
    const Frame frame = frameIn(rect());
    if (position.y() < frame.plot.top() - axisReach || position.y() > frame.plot.bottom() + axisReach) return std::nullopt;
    for (std::size_t i = 0; i < frame.xs.size(); ++i)
        if (std::abs(position.x() - frame.xs[i]) <= axisReach) return i;
    return std::nullopt;
}

const ParallelPlans::Plan* ParallelChart::planAt(const QPointF& position) const {
    if (data_.plans.empty()) return nullptr;
    const Frame frame = frameIn(rect());
    const ParallelPlans::Plan* best = nullptr;
    double nearest = parallelReach;
    for (const ParallelPlans::Plan& plan : data_.plans) {
        if (!isWithin(plan, brushes_)) continue;
        for (std::size_t i = 1; i < plan.at.size(); ++i) {
            if (position.x() < frame.xs[i - 1] || position.x() > frame.xs[i] || !plan.at[i - 1] || !plan.at[i]) continue;
            const double distance = distanceToSegment(position, frame.at(i - 1, *plan.at[i - 1]), frame.at(i, *plan.at[i])) + (plan.onFront ? 0 : plan.isFallen() ? 2
                                                                                                                                                                  : 1);
            if (distance >= nearest) continue;
            nearest = distance;
            best = &plan;
        }
    }
    return best;
}

Brush ParallelChart::brushOf(std::size_t axis, double fromShare, double toShare) const {
    const auto [low, high] = std::minmax({std::clamp(fromShare, 0.0, 1.0), std::clamp(toShare, 0.0, 1.0)});
    const Brush brush{numberAt(scales_[axis], low), numberAt(scales_[axis], high)};
    if (!data_.axes[axis].isKey()) return brush;
    // Whole values, at least the nearest one.
    const double last = static_cast<double>(data_.axes[axis].values.size()) - 1;
    const double first = std::clamp(std::ceil(brush.low - keyAir), 0.0, last), final = std::clamp(std::floor(brush.high + keyAir), 0.0, last);
    if (first <= final) return {first - keyAir, final + keyAir};
    const double nearest = std::clamp(std::round((brush.low + brush.high) / 2), 0.0, last);
    return {nearest - keyAir, nearest + keyAir};
}

void ParallelChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const auto axis = axisAt(event->position())) {
        const Frame frame = frameIn(rect());
        const double share = (frame.plot.bottom() - event->position().y()) / frame.plot.height();
        const bool inside = brushes_[*axis] && brushes_[*axis]->holds(numberAt(scales_[*axis], std::clamp(share, 0.0, 1.0)));
        drag_ = Drag{*axis, share, inside ? brushes_[*axis] : std::nullopt, false};
        current_ = axis;
        return update();
    }
    if (const auto* plan = planAt(event->position()); plan && !plan->isFallen()) {
        choose(plan->point);
        setAccessibleDescription(words(*plan));
        emit pointChosen(plan->point);
    }
}

void ParallelChart::mouseMoveEvent(QMouseEvent* event) {
    if (!drag_) {
        setCursor(axisAt(event->position()) ? Qt::SizeVerCursor : Qt::ArrowCursor);
        if (const auto* plan = planAt(event->position())) QToolTip::showText(event->globalPosition().toPoint(), words(*plan), this);
        else QToolTip::hideText();
        return;
    }
    const Frame frame = frameIn(rect());
    const double share = (frame.plot.bottom() - event->position().y()) / frame.plot.height();
    drag_->far = drag_->far || std::abs(share - drag_->from) * frame.plot.height() >= dragReach;
    if (!drag_->far) return;
    if (!drag_->moved) return setBrush(drag_->axis, brushOf(drag_->axis, drag_->from, share));
    const ValueAxis& scale = scales_[drag_->axis];
    const double low = std::clamp(scale.share(drag_->moved->low), 0.0, 1.0), high = std::clamp(scale.share(drag_->moved->high), 0.0, 1.0);
    const double by = std::clamp(share - drag_->from, -low, std::max(-low, 1 - high));
    setBrush(drag_->axis, brushOf(drag_->axis, low + by, high + by));
}

void ParallelChart::mouseReleaseEvent(QMouseEvent*) {
    if (!drag_) return;
    const Drag done = *drag_;
    drag_.reset();
    if (done.far) return;
    // A click: on a key it chooses the value there, elsewhere it takes the limit away.
    const bool onKey = data_.axes[done.axis].isKey() && !brushes_[done.axis];
    setBrush(done.axis, onKey ? std::optional(brushOf(done.axis, done.from, done.from)) : std::nullopt);
}

void ParallelChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (axisAt(event->position())) return;
    if (const auto* plan = planAt(event->position()); plan && !plan->isFallen()) emit openRequested(plan->point);
}

void ParallelChart::stepBrush(int steps) {
    const ParallelAxis& axis = data_.axes[*current_];
    const std::optional<Brush>& now = brushes_[*current_];
    if (axis.isKey()) {
        const double last = static_cast<double>(axis.values.size()) - 1;
        const double value = now ? std::clamp(std::round((now->low + now->high) / 2) + steps, 0.0, last) : steps > 0 ? 0
                                                                                                                     : last;
        return setBrush(*current_, Brush{value - keyAir, value + keyAir});
    }
    // The worse end steps, the better one stays at the axis's.
    constexpr double step = 0.05;
    const ValueAxis& scale = scales_[*current_];
    const double worse = now ? scale.share(axis.mostIsBetter ? now->low : now->high) : axis.mostIsBetter ? 0
                                                                                                         : 1;
    const double next = std::clamp(worse + steps * step, 0.0, 1.0);
    setBrush(*current_, axis.mostIsBetter ? brushOf(*current_, next, 1) : brushOf(*current_, 0, next));
}

void ParallelChart::keyPressEvent(QKeyEvent* event) {
    if (data_.plans.empty() || data_.axes.empty()) return QWidget::keyPressEvent(event);
    const std::size_t last = data_.axes.size() - 1;
    switch (event->key()) {
    case Qt::Key_Right: current_ = current_ ? std::min(last, *current_ + 1) : 0; break;
    case Qt::Key_Left: current_ = current_ && *current_ > 0 ? *current_ - 1 : 0; break;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (!current_) current_ = 0;
        stepBrush(event->key() == Qt::Key_Up ? 1 : -1);
        break;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        if (current_) setBrush(*current_, std::nullopt);
        break;
    case Qt::Key_Escape: clearBrushes(); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_) emit openRequested(*chosen_);
        return;
    default: return QWidget::keyPressEvent(event);
    }
    if (current_) setAccessibleDescription(tr("%1, %2 of %3 plans within all limits").arg(data_.axes[*current_].name).arg(within().size()).arg(data_.simulated()));
    update();
}

QString ParallelChart::words(const ParallelPlans::Plan& plan) const {
    QStringList figures;
    for (std::size_t i = 0; i < data_.axes.size(); ++i)
        if (!data_.axes[i].isKey() && plan.at[i]) figures << data_.axes[i].name + (plan.isFallen() ? data_.axes[i].mostIsBetter ? QStringLiteral(" ≤ ") : QStringLiteral(" ≥ ") : QStringLiteral(" ")) + figureWords(data_.axes[i].pointer, *plan.at[i]);
    if (plan.isFallen()) return tr("%1, not simulated: %2", "plan, why").arg(plan.words, plan.fallen) + (figures.isEmpty() ? QString() : QStringLiteral("; ") + figures.join(QStringLiteral(", ")));
    const QString text = plan.words + QStringLiteral(": ") + figures.join(QStringLiteral(", "));
    return plan.feasible ? text : text + tr("; does not fit, or breaks a constraint");
}

QByteArray ParallelChart::csv() const {
    QByteArray lines;
    for (const ParallelAxis& axis : data_.axes) lines += QByteArray::fromStdString(axis.pointer) + ',';
    lines += "feasible,front,within,simulated\n";
    for (const ParallelPlans::Plan& plan : data_.plans) {
        for (std::size_t i = 0; i < data_.axes.size(); ++i) {
            if (plan.at[i]) {
                const QString text = data_.axes[i].isKey() ? valueWords(*data_.axes[i].values[static_cast<std::size_t>(*plan.at[i])]) : QString::number(*plan.at[i], 'g', 17);
                lines += text.contains(u',') ? '"' + text.toUtf8() + '"' : text.toUtf8();
            }
            lines += ',';
        }
        lines += plan.feasible ? "1," : "0,";
        lines += plan.onFront ? "1," : "0,";
        lines += isWithin(plan, brushes_) ? "1," : "0,";
        lines += plan.isFallen() ? "0\n" : "1\n";
    }
    return lines;
}

} // namespace orrery
