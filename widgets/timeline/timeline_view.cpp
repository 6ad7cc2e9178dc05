// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_view.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/timeline/names.hpp"
#include "widgets/timeline/timeline_export.hpp"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <QResizeEvent>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int padding = 12;
constexpr int overviewHeight = 22;
constexpr int axisHeight = 20;
constexpr int narrowestGutter = 88;
constexpr int widestGutter = 150;
const QChar thinSpace(0x2009);

} // namespace

TimelineView::TimelineView(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), selection_(selection), header_(new PanelHeader(theme, tr("Timeline"), this)),
      search_(new QLineEdit), scroll_(new QScrollBar(Qt::Vertical, this)), emptyTitle_(emptyTitle()), emptyHow_(emptyHow()) {
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));

    search_->setPlaceholderText(tr("Search"));
    search_->setAccessibleName(tr("Search the timeline"));
    search_->setToolTip(tr("Shows the next operator or pass with this in its name, such as mlp.down or B7"));
    search_->setClearButtonEnabled(true);
    search_->setFixedWidth(140);
    header_->tools()->addWidget(search_);
    connect(search_, &QLineEdit::returnPressed, this, &TimelineView::search);
    connect(search_, &QLineEdit::textChanged, this, [this] { showSearchFailed(false); });

    scroll_->hide();
    connect(scroll_, &QScrollBar::valueChanged, this, &TimelineView::recompose);
    connect(&theme_, &Theme::changed, this, [this] {
        updateTexts();
        updateGeometryOfParts();
        recompose();
    });
    connect(&selection_, &Selection::cursorChanged, this, QOverload<>::of(&QWidget::update));
    connect(&selection_, &Selection::rangeChanged, this, QOverload<>::of(&QWidget::update));
    connect(&selection_, &Selection::operatorChanged, this, &TimelineView::markSelected);
    connect(&selection_, &Selection::stageChanged, this, QOverload<>::of(&QWidget::update));
    updateTexts();
}

QString TimelineView::emptyTitle() { return tr("One iteration, stage by stage"); }
QString TimelineView::emptyHow() { return tr("Draw a cluster and choose a model to see the iteration here."); }

void TimelineView::setTimeline(const ResultPtr& result, TimelineRowsPtr rows) {
    showTimeline(result ? std::shared_ptr<const Timeline>(result, &result->timeline) : nullptr, std::move(rows));
}

void TimelineView::showTimeline(std::shared_ptr<const Timeline> timeline, TimelineRowsPtr rows) {
    const bool wasWhole = !hasRows() || (viewport_.from <= 0 && viewport_.to >= rows_->duration);
    if (timeline && !rows) rows = buildRows(*timeline);
    timeline_ = std::move(timeline);
    rows_ = timeline_ ? std::move(rows) : nullptr;
    arrows_.clear();
    stretches_.clear();
    folded_.assign(folds() ? rows_->stages.size() : 0, false);
    standIns_.clear();
    layout_ = LaneLayout{};
    overview_.setRows(rows_.get());
    hovered_.reset();
    focused_.reset();
    drag_ = Drag::none;
    busy_ = false;
    updateGeometryOfParts();
    updateTexts(); // what stands beside the lanes decides their left side
    updateGeometryOfParts();
    if (hasRows()) viewport_ = wasWhole ? fitted(rows_->duration, viewport_.width) : clamped(viewport_, rows_->duration);
    markSelected();
}

void TimelineView::setBusy(bool busy) {
    if (busy == busy_) return;
    busy_ = busy;
    update();
}

void TimelineView::updateTexts() {
    legend_ = hasRows() ? timelineLegend(*rows_, theme_) : std::vector<LegendEntry>();
    header_->setSubtitle(hasRows() ? summaryOf(*rows_) : QString());
    setAccessibleDescription(hasRows() ? summaryOf(*rows_) : emptyTitle_ + QLatin1Char(' ') + emptyHow_);
    double widest = 0;
    const QFontMetricsF titles(theme_.titleFont());
    const QFontMetricsF secondary(theme_.secondaryFont());
    for (const TimelineLane& lane : layout_.lanes) {
        widest = std::max(widest, secondary.horizontalAdvance(laneTitle(timeline(), lane)));
        if (lane.stream != StreamKind::compute || lane.kind != LaneKind::bars) continue;
        const StageTimeline& stage = timeline().stages[static_cast<std::size_t>(lane.stage)];
        widest = std::max({widest, titles.horizontalAdvance(stageTitle(timeline(), stage)), secondary.horizontalAdvance(subtitleOf(lane.stage))});
    }
    gutter_ = std::clamp(static_cast<int>(std::ceil(widest)) + padding + 8, narrowestGutter, widestGutter);
}

void TimelineView::updateGeometryOfParts() {
    header_->setGeometry(0, 0, width(), PanelHeader::lineHeight);
    header_->tools()->setEnabled(hasRows());
    search_->setVisible(hasRows() && width() > 420);
    overview_.setArea(QRect(gutter_, PanelHeader::lineHeight + 2, std::max(width() - gutter_ - padding, 1), overviewHeight));
    const QRect lanes = lanesArea();
    layout_ = rows_ ? layoutLanes(*rows_, lanes.height(), shownStages()) : LaneLayout{};
    const int hidden = hasRows() ? std::max(0, layout_.height - lanes.height()) : 0;
    scroll_->setVisible(hidden > 0);
    scroll_->setGeometry(width() - padding + 2, lanes.top(), padding - 3, lanes.height());
    scroll_->setPageStep(std::max(lanes.height(), 1));
    scroll_->setSingleStep(40);
    scroll_->setRange(0, hidden);
    viewport_.width = std::max(lanes.width(), 1);
}

QRect TimelineView::lanesArea() const {
    const int top = PanelHeader::lineHeight + 2 + overviewHeight + axisHeight;
    const int legend = legendArea().height();
    return {gutter_, top, std::max(width() - gutter_ - padding, 1), std::max(height() - top - 6 - legend, 1)};
}

QRect TimelineView::legendArea() const {
    const int across = std::max(width() - gutter_ - padding, 1);
    int high = legendHeight(legend_, theme_, across);
    // In a low panel the lanes come first: their titles and tooltips say the same.
    if (high > (height() - PanelHeader::lineHeight - overviewHeight - axisHeight) / 5) high = 0;
    return {gutter_, height() - 4 - high, across, high};
}

QRect TimelineView::areaOf(const TimelineLane& lane) const {
    const QRect lanes = lanesArea();
    return {lanes.left(), lanes.top() + lane.top - scroll_->value(), lanes.width(), lane.height};
}

QRect TimelineView::laneArea(int stage, StreamKind stream) const {
    const TimelineLane* lane = layout_.find(stage, stream);
    return lane != nullptr ? areaOf(*lane) : QRect();
}

QRect TimelineView::operatorArea(int stage, StreamKind stream) const {
    QRect area = laneArea(stage, stream);
    if (!area.isEmpty() && stream == StreamKind::compute && showsOperators(*rows_, viewport_)) area.setTop(area.top() + passStripOf(*rows_));
    return area;
}

QRect TimelineView::memoryArea(int stage) const {
    const TimelineLane* lane = layout_.memoryOf(stage);
    return lane != nullptr ? areaOf(*lane) : QRect();
}

double TimelineView::xOf(double time) const { return lanesArea().left() + pixelAt(viewport_, time); }
double TimelineView::timeAtX(double x) const { return timeAt(viewport_, x - lanesArea().left()); }

void TimelineView::setViewport(const Viewport& viewport) {
    if (viewport.from == viewport_.from && viewport.to == viewport_.to && viewport.width == viewport_.width) return;
    viewport_ = viewport;
    recompose();
}

void TimelineView::setVisibleRange(double from, double to) {
    if (hasRows()) setViewport(clamped({from, std::max(to, from + shortestSpan), viewport_.width}, rows_->duration));
}

void TimelineView::fit() {
    if (hasRows()) setViewport(fitted(rows_->duration, viewport_.width));
}

void TimelineView::markSelected() {
    marked_ = hasRows() ? MarkedOperators(timeline(), operatorsNamed(timeline(), selection_.operatorName().toStdString(),
                                                                     selection_.operatorPhase().toStdString()))
                        : MarkedOperators();
    recompose();
}

void TimelineView::recompose() {
    stale_ = true;
    update();
}

void TimelineView::composeIfNeeded() {
    if (!stale_) return;
    const QRect lanes = lanesArea();
    body_ = QImage(); // let go first: the composer would copy pixels that are shared
    composer_.setLook(theme_, devicePixelRatioF(), rows_ ? rows_->kind : TimelineKind::iteration);
    body_ = composer_.compose({&timeline(), rows_.get(), &layout_, &marked_, viewport_, lanes.height(), scroll_->value()});
    stale_ = false;
    ++composedFrames_;
}

const StreamRow& TimelineView::rowOf(const BarReference& bar) const {
    return rows_->stages[static_cast<std::size_t>(bar.stage)].streams[static_cast<std::size_t>(bar.row)];
}

OperatorInstance TimelineView::instance(const BarReference& bar) const {
    const StreamRow& row = rowOf(bar);
    const Stream& stream = timeline().stages[static_cast<std::size_t>(bar.stage)].streams[row.stream];
    return {row.bars.start[bar.bar], row.bars.end[bar.bar], row.bars.label[bar.bar], &stream.spans[row.spanOf(bar.bar)]};
}

std::vector<VisibleInterval> TimelineView::visibleIntervals(int stage, StreamKind stream) const {
    std::vector<VisibleInterval> intervals;
    if (!hasRows()) return intervals;
    for (const StreamRow& row : rows_->stages[static_cast<std::size_t>(stage)].streams) {
        if (row.kind != stream) continue;
        const BarColumns& bars = row.bars;
        for (std::size_t bar = bars.firstEndingAfter(viewport_.from); bar < bars.size() && bars.start[bar] < viewport_.to; ++bar)
            intervals.push_back({bars.start[bar], bars.end[bar], bars.label[bar], row.spanOf(bar)});
    }
    return intervals;
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QColor panel = theme_.colors().panel;
    if (!hasRows()) {
        painter.fillRect(rect(), panel);
        drawEmptyState(painter, QRectF(rect()).adjusted(0, PanelHeader::lineHeight, 0, 0), theme_, emptyTitle_, emptyHow_);
        return;
    }
    composeIfNeeded();
    const QRect lanes = lanesArea();
    for (const QRect& beside : QRegion(rect()) - lanes) painter.fillRect(beside, panel);
    overview_.paint(painter, theme_, viewport_);
    paintAxis(painter);
    if (const QRect legend = legendArea(); !legend.isEmpty()) paintLegend(painter, legend_, theme_, legend);
    painter.save();
    painter.setClipRect(QRect(0, lanes.top(), width(), lanes.height()));
    paintTitles(painter);
    painter.setCompositionMode(QPainter::CompositionMode_Source); // opaque: copied, not blended
    painter.drawImage(lanes.topLeft(), body_);
    painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
    paintOverlays(painter);
    painter.restore();
    if (busy_) {
        QColor veil = panel;
        veil.setAlphaF(0.55F);
        painter.fillRect(rect(), veil);
    }
    if (hasFocus()) {
        painter.setPen(theme_.colors().accent);
        painter.drawRect(overview_.area().adjusted(-1, -1, 0, 0));
    }
}

void TimelineView::paintAxis(QPainter& painter) const {
    const ThemeColors& colors = theme_.colors();
    const QRect lanes = lanesArea();
    const TickSet set = ticksFor(viewport_, tickSpacing);
    const QFontMetricsF metrics(theme_.axisFont());
    const double top = lanes.top() - axisHeight;
    painter.setFont(theme_.axisFont());
    const QString unit = QString(thinSpace) + QString::fromUtf8(set.unit.symbol.data(), static_cast<int>(set.unit.symbol.size()));
    const bool counted = set.anchor > 0;
    for (const Tick& tick : set.ticks) {
        const double x = std::floor(xOf(tick.time));
        const QString text = (counted ? QStringLiteral("+") : QString()) + grouped(tick.value, set.decimals) + unit;
        painter.setPen(colors.line);
        painter.drawLine(QPointF(x, lanes.top() - 5), QPointF(x, lanes.top()));
        if (x + 4 + metrics.horizontalAdvance(text) > lanes.right() + 1) continue;
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(x + 4, top, tickSpacing, axisHeight), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    if (!counted) return;
    painter.setPen(colors.ink);
    painter.drawText(QRectF(0, top, gutter_ - 6, axisHeight), Qt::AlignRight | Qt::AlignVCenter,
                     grouped(set.anchor, set.anchorDecimals) + thinSpace + QLatin1Char('s'));
}

void TimelineView::paintTitles(QPainter& painter) const {
    const ThemeColors& colors = theme_.colors();
    const QRect lanes = lanesArea();
    const double room = gutter_ - padding - 6;
    const QFontMetricsF secondary(theme_.secondaryFont());
    for (const TimelineLane& lane : layout_.lanes) {
        const QRect area = areaOf(lane);
        if (!area.intersects(lanes)) continue;
        if (lane.kind == LaneKind::bars && lane.stream == StreamKind::compute) {
            const StageTimeline& stage = timeline().stages[static_cast<std::size_t>(lane.stage)];
            const double half = lane::compute / 2.0;
            const int above = (lane.height - lane::compute) / 2;
            const double first = area.top() + above;
            const bool chosen = selection_.stage() == stage.stage;
            if (chosen) painter.fillRect(QRectF(folds() ? 0 : padding - 6, first + 1, 2, lane::compute - 2), colors.accent);
            if (const QRectF fold = foldArea(lane.stage); !fold.isEmpty()) {
                const QPointF middle = fold.center();
                const QPolygonF triangle = isFolded(lane.stage) ? QPolygonF({middle + QPointF(-2, -3.5), middle + QPointF(2, 0), middle + QPointF(-2, 3.5)})
                                                                : QPolygonF({middle + QPointF(-3.5, -2), middle + QPointF(3.5, -2), middle + QPointF(0, 2)});
                painter.setRenderHint(QPainter::Antialiasing);
                painter.setPen(Qt::NoPen);
                painter.setBrush(colors.secondary);
                painter.drawPolygon(triangle);
                painter.setRenderHint(QPainter::Antialiasing, false);
            }
            painter.setFont(theme_.titleFont());
            painter.setPen(chosen ? colors.accent : colors.ink);
            painter.drawText(QRectF(padding, first, room, half), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(theme_.titleFont()).elidedText(stageTitle(timeline(), stage), Qt::ElideRight, room));
            painter.setFont(theme_.secondaryFont());
            painter.setPen(colors.secondary);
            painter.drawText(QRectF(padding, first + half, room, half), Qt::AlignLeft | Qt::AlignVCenter,
                             secondary.elidedText(subtitleOf(lane.stage), Qt::ElideRight, room));
            continue;
        }
        painter.setFont(theme_.secondaryFont());
        painter.setPen(colors.secondary);
        const QRectF text(padding, area.top() + (area.height() - 16) / 2.0, room, 16);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, secondary.elidedText(laneTitle(timeline(), lane), Qt::ElideRight, room));
    }
}

void TimelineView::outline(QPainter& painter, const BarReference& bar, double width) const {
    const auto lane = std::find_if(layout_.lanes.begin(), layout_.lanes.end(), [&](const TimelineLane& one) {
        return one.kind == LaneKind::bars && one.stage == bar.stage && one.row == bar.row;
    });
    if (lane == layout_.lanes.end()) return;
    QRectF area = areaOf(*lane);
    if (lane->stream == StreamKind::compute && showsOperators(*rows_, viewport_)) area.setTop(area.top() + passStripOf(*rows_));
    const BarColumns& bars = rowOf(bar).bars;
    const double from = xOf(bars.start[bar.bar]);
    const double to = std::max(xOf(bars.end[bar.bar]), from + 2);
    area.setLeft(std::floor(std::max(from, lanesArea().left() - 4.0)));
    area.setRight(std::ceil(std::min(to, lanesArea().right() + 4.0)));
    if (area.right() <= area.left()) return;
    painter.setPen(QPen(theme_.colors().ink, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(width / 2, width / 2, -width / 2, -width / 2));
}

void TimelineView::paintOverlays(QPainter& painter) const {
    const ThemeColors& colors = theme_.colors();
    const QRect lanes = lanesArea();
    painter.setClipRect(lanes, Qt::IntersectClip);
    if (selection_.rangeEnd() > selection_.rangeStart()) {
        const QRectF range(xOf(selection_.rangeStart()), lanes.top(), xOf(selection_.rangeEnd()) - xOf(selection_.rangeStart()), lanes.height());
        QColor tint = colors.accent;
        tint.setAlphaF(0.13F);
        painter.fillRect(range & QRectF(lanes), tint);
        painter.setPen(colors.accent);
        for (const double x : {range.left(), range.right()})
            if (x >= lanes.left() && x <= lanes.right()) painter.drawLine(QPointF(x, lanes.top()), QPointF(x, lanes.bottom()));
    }
    for (const MarkedStretch& stretch : stretches_) {
        const double from = std::max(xOf(stretch.from), lanes.left() - 2.0), to = std::min(xOf(stretch.to), lanes.right() + 2.0);
        const auto at = pointOf(stretch.stage, stretch.stream, stretch.from);
        if (!at || to < lanes.left() || from > lanes.right()) continue;
        painter.fillRect(QRectF(from, at->y() + 4, std::max(1.0, to - from), 2), colors.error);
    }
    paintArrows(painter);
    if (hovered_ && hovered_ != focused_) outline(painter, *hovered_, 1);
    if (focused_) outline(painter, *focused_, 2);
    if (selection_.cursor() >= viewport_.from && selection_.cursor() <= viewport_.to) {
        painter.setPen(QPen(colors.accent, 1, Qt::DashLine));
        const double x = std::floor(xOf(selection_.cursor())) + 0.5;
        painter.drawLine(QPointF(x, lanes.top()), QPointF(x, lanes.bottom()));
    }
}

void TimelineView::resizeEvent(QResizeEvent*) {
    updateGeometryOfParts();
    recompose();
}

void TimelineView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange) {
        updateTexts();
        updateGeometryOfParts();
        recompose();
    }
}

QString TimelineView::exportName() const { return QStringLiteral("timeline"); }

ChartHeading TimelineView::heading() const { return {tr("Timeline"), hasRows() ? summaryOf(*rows_) : QString()}; }

QString TimelineView::whyNothing() const { return hasRows() ? QString() : emptyTitle_ + QLatin1Char(' ') + emptyHow_; }

void TimelineView::renderBody(QPainter& painter, const QRectF& area) const {
    if (!hasRows()) {
        drawEmptyState(painter, area, theme_, emptyTitle_, emptyHow_);
        return;
    }
    renderTimeline(painter, area, theme_, timeline(), *rows_, viewport_);
}

ChartPlot TimelineView::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::ranges;
    plot.x = 1;
    plot.y = {3};
    plot.xTitle = tr("time in s");
    plot.yTitle = tr("stage");
    plot.end = 4;
    plot.series = 7;
    return plot;
}

QByteArray TimelineView::csv() const {
    if (!hasRows()) return {};
    const bool ranged = selection_.rangeEnd() > selection_.rangeStart();
    return ranged ? timelineCsv(timeline(), selection_.rangeStart(), selection_.rangeEnd())
                  : timelineCsv(timeline(), 0, timeline().duration);
}

QSize TimelineView::sizeHint() const { return {900, 380}; }
QSize TimelineView::minimumSizeHint() const { return {320, 180}; }

} // namespace orrery
