// What ClusterCanvas shows: painting, descriptions, export, and the colours that a result gives to ranks.

#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "widgets/cluster/painting/cluster_link_painter.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QLocale>
#include <QPainter>
#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {


/// Calls `visit(first, last)` for each part of "0-7,32-39".
template <typename Visit>
void forEachRange(const std::string& ranks, Visit&& visit) {
    for (const QString& part : QString::fromStdString(ranks).split(',', Qt::SkipEmptyParts)) {
        bool firstOk = false, lastOk = false;
        const int first = part.section('-', 0, 0).trimmed().toInt(&firstOk);
        const int last = part.section('-', -1, -1).trimmed().toInt(&lastOk);
        if (firstOk && lastOk && first >= 0 && last >= first) visit(first, last);
    }
}

QByteArray csvField(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return QByteArray::fromStdString(text);
    QByteArray quoted = QByteArray::fromStdString(text);
    quoted.replace("\"", "\"\"");
    return '"' + quoted + '"';
}

} // namespace

void ClusterCanvas::setResult(const ResultPtr& result) {
    result_ = result;
    stageOfRank_.clear();
    if (result) {
        constexpr int mostRanks = 1 << 22;
        for (const StageTimeline& stage : result->timeline.stages)
            forEachRange(stage.ranks, [&](int first, int last) {
                if (last >= mostRanks) return;
                if (static_cast<std::size_t>(last) >= stageOfRank_.size()) stageOfRank_.resize(static_cast<std::size_t>(last) + 1, -1);
                for (int rank = first; rank <= last; ++rank)
                    stageOfRank_[static_cast<std::size_t>(rank)] = static_cast<std::int16_t>(stage.stage);
            });
    }
    stageSpan_ = stageOfRank_.empty() ? 0 : *std::max_element(stageOfRank_.begin(), stageOfRank_.end()) + 1;
    if (!viewIsUsers_) fit(); // the legend takes its room
    redraw();
}

int ClusterCanvas::stageCount() const {
    return rankColours_.empty() ? stageSpan_ : 0;
}

QColor ClusterCanvas::stageColour(int stage) const { return theme_.stageColor(stage, stageSpan_); }

void ClusterCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF area = drawingArea();
    if (document_.isEmpty() && !ghostAt_) {
        painter.fillRect(rect(), theme_.colors().panel);
        drawEmptyState(painter, area, theme_, tr("The cluster: its hosts, its switches, and how they are connected"),
                       tr("Place a host from the palette, or drop a platform"));
        return paintOverlay(painter);
    }
    const double ratio = devicePixelRatioF();
    if (scene_.isNull() || scene_.size() != size() * ratio || scene_.devicePixelRatio() != ratio) {
        scene_ = QPixmap(size() * ratio);
        scene_.setDevicePixelRatio(ratio);
        scene_.fill(theme_.colors().panel);
        QPainter inner(&scene_);
        inner.setClipRect(area);
        inner.save();
        inner.translate(view_.origin);
        inner.scale(view_.zoom, view_.zoom);
        paintCluster(inner, document_, geometry_, look_, theme_, view_.zoom,
                     QRectF(view_.toScene(area.topLeft()), view_.toScene(area.bottomRight())));
        inner.restore();
        paintLegend(inner, area);
    }
    painter.drawPixmap(0, 0, scene_);
    painter.setClipRect(area);
    paintOverlay(painter);
}

void ClusterCanvas::paintOverlay(QPainter& painter) const {
    const ThemeColors& colours = theme_.colors();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const QLineF& guide : guides_) {
        painter.setPen(QPen(colours.accent, 1, Qt::DashLine));
        painter.drawLine(view_.toWidget(guide.p1()), view_.toWidget(guide.p2()));
    }
    if (gesture_ == Gesture::rubber_band && QLineF(pressedAt_, mouse_).length() >= 4) {
        QColor fill = colours.accent;
        fill.setAlphaF(0.1F);
        painter.setPen(QPen(colours.accent, 1));
        painter.setBrush(fill);
        painter.drawRect(QRectF(pressedAt_, mouse_).normalized());
    }
    if (connectFrom_ >= 0 && connectFrom_ < static_cast<int>(geometry_.cards().size())) {
        const QRectF card = geometry_.cards()[static_cast<std::size_t>(connectFrom_)];
        const QPointF centre = view_.toWidget(card.center());
        painter.setPen(QPen(colours.accent, 1.6, Qt::DashLine));
        const QRectF shown(view_.toWidget(card.topLeft()), view_.toWidget(card.bottomRight()));
        // From the edge that faces the mouse.
        const double side = mouse_.y() < centre.y() ? shown.top() : shown.bottom();
        if (!shown.contains(mouse_)) painter.drawLine(QPointF(centre.x(), side), mouse_);
        painter.setPen(QPen(colours.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(shown, 7 * view_.zoom, 7 * view_.zoom);
        if (look_.hoveredNode >= 0 && look_.hoveredNode != connectFrom_) {
            const QRectF target = geometry_.cards()[static_cast<std::size_t>(look_.hoveredNode)];
            painter.drawRoundedRect(QRectF(view_.toWidget(target.topLeft()), view_.toWidget(target.bottomRight())), 7 * view_.zoom, 7 * view_.zoom);
        }
    } else if (tool_ == ClusterTool::select && gesture_ == Gesture::none && look_.hoveredNode >= 0 && view_.zoom >= 0.3) {
        painter.setPen(QPen(colours.accent, 1.4));
        painter.setBrush(colours.panel);
        for (const QPointF& handle : handles(look_.hoveredNode)) painter.drawEllipse(handle, 4, 4);
    }
    if (tool_ == ClusterTool::place && ghostAt_ && !ghost_.isEmpty()) {
        const QPointF anchor = ghost_.nodes().size() == 1 ? ghost_.nodes()[0].position : ghost_.bounds().center();
        painter.save();
        painter.setOpacity(0.55);
        painter.translate(view_.origin);
        painter.scale(view_.zoom, view_.zoom);
        painter.translate(ghost_.nodes().size() == 1 ? snapped(*ghostAt_) - anchor : snapped(*ghostAt_ - anchor));
        ClusterLook look;
        look.hostLabel = look_.hostLabel;
        look.fabricLabel = look_.fabricLabel;
        paintCluster(painter, ghost_, ghostGeometry_, look, theme_, view_.zoom, QRectF(-1e7, -1e7, 2e7, 2e7));
        painter.restore();
    }
    if (hasFocus() && focusByKey_ && look_.selection.empty()) {
        painter.setPen(QPen(colours.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(drawingArea().adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

double ClusterCanvas::legendHeight() const { return stageCount() > 1 || showsLoads() ? 22 : 0; }

void ClusterCanvas::paintLegend(QPainter& painter, const QRectF& area) const {
    if (legendHeight() == 0) return;
    // On its own ground, so that it can be read where the drawing reaches below it.
    painter.fillRect(QRectF(area.left(), area.bottom() - legendHeight() - 2, area.width(), legendHeight() + 2), theme_.colors().panel);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme_.axisFont());
    const QRectF row(area.left() + 12, area.bottom() - 20, area.width() - 24, 14);
    const double taken = showsLoads() ? paintLoadLegend(painter, row) : 0;
    if (stageCount() > 1) paintStageLegend(painter, row.adjusted(0, 0, taken > 0 ? -taken - 16 : 0, 0));
}

double ClusterCanvas::paintLoadLegend(QPainter& painter, const QRectF& row) const {
    const ThemeColors& colours = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    constexpr double gap = 6, barWidth = 64;
    const QString none = QStringLiteral("0"), all = readablePercent(1).text();
    QString what = tr("link load %1").arg(traffic_->scopeText());
    // Of a lit path: whose it is and how it runs, before what the colours mean.
    if (!look_.litLinks.empty()) what = traffic_->litText() + QStringLiteral(" · ") + what;
    const double scale = metrics.horizontalAdvance(none) + gap + barWidth + gap + metrics.horizontalAdvance(all);
    const QString shown = metrics.elidedText(what, Qt::ElideLeft, std::max(0.0, row.width() * 0.7 - scale));
    const double width = scale + (shown.isEmpty() ? 0 : metrics.horizontalAdvance(shown) + 10);
    double x = row.right() - width;
    const auto write = [&](const QString& text, const QColor& ink) {
        painter.setPen(ink);
        painter.drawText(QRectF(x, row.top(), metrics.horizontalAdvance(text) + 2, row.height()), Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text);
    };
    if (!shown.isEmpty()) {
        write(shown, colours.secondary);
        x += 10;
    }
    write(none, colours.secondary);
    x += gap;
    // A wedge: fuller links are wider as well.
    painter.setPen(Qt::NoPen);
    constexpr int steps = 16;
    for (int step = 0; step < steps; ++step) {
        const double load = (step + 0.5) / steps, height = 2 * loadWidening(load);
        painter.setBrush(loadColour(load, colours, idleLinkColour(colours)));
        painter.drawRect(QRectF(x + barWidth * step / steps, row.center().y() - height / 2, barWidth / steps + 0.3, height));
    }
    x += barWidth + gap;
    write(all, colours.secondary);
    return width;
}

/// One chip a stage with its number on it, as on nothing else: a place is not told by its colour alone.
void ClusterCanvas::paintStageLegend(QPainter& painter, const QRectF& row) const {
    const int stages = stageCount();
    const QFontMetricsF metrics(theme_.axisFont());
    const QString title = stages == 1 ? tr("Stage") : tr("Stages");
    const QString range = tr("%1–%2").arg(0).arg(stages - 1);
    const double titleWidth = metrics.horizontalAdvance(title) + 8;
    const double chip = std::max(16.0, metrics.horizontalAdvance(QString::number(stages - 1)) + 8);
    constexpr double gap = 3;
    const bool all = titleWidth + stages * (chip + gap) <= row.width();
    const double room = row.width() - titleWidth - (all ? 0 : metrics.horizontalAdvance(range) + 8);
    const int shown = std::clamp(static_cast<int>(room / (chip + gap)), 0, stages);
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().secondary);
    painter.drawText(QRectF(row.left(), row.top(), titleWidth, row.height()), Qt::AlignVCenter, title);
    double x = row.left() + titleWidth;
    for (int s = 0; s < shown; ++s, x += chip + gap) {
        const QRectF place(x, row.center().y() - 7, chip, 14);
        painter.setPen(Qt::NoPen);
        painter.setBrush(stageColour(s));
        painter.drawRoundedRect(place, 3, 3);
        painter.setPen(theme_.textOn(stageColour(s)));
        painter.drawText(place, Qt::AlignCenter, QString::number(s));
    }
    if (all) return;
    painter.setPen(theme_.colors().secondary);
    painter.drawText(QRectF(x + 4, row.top(), metrics.horizontalAdvance(range) + 2, row.height()), Qt::AlignVCenter, range);
}

ChartHeading ClusterCanvas::heading() const { return {tr("Cluster"), document_.isEmpty() ? QString() : clusterSummary(document_, catalog_)}; }

QString ClusterCanvas::whyNothing() const { return document_.isEmpty() ? tr("The cluster is empty: place a host from the palette, or drop a platform.") : QString(); }

void ClusterCanvas::renderBody(QPainter& painter, const QRectF& body) const {
    if (document_.isEmpty()) return drawEmptyState(painter, body, theme_, tr("The cluster is empty"), {});
    const QRectF room = body.adjusted(20, 6, -20, -20 - legendHeight());
    const QRectF scene = geometry_.bounds();
    const double zoom = std::min({room.width() / scene.width(), room.height() / scene.height(), 1.5});
    ClusterLook look = look_;
    look.selection = {};
    look.hoveredNode = look.hoveredLink = -1;
    painter.save();
    painter.translate(room.center() - zoom * scene.center());
    painter.scale(zoom, zoom);
    paintCluster(painter, document_, geometry_, look, theme_, zoom, scene.adjusted(-50, -50, 50, 50));
    painter.restore();
    paintLegend(painter, body);
}

QString ClusterCanvas::exportName() const { return QStringLiteral("cluster"); }

QByteArray ClusterCanvas::csv() const {
    QByteArray out = "type,id,kind,accelerator,accelerators,replicas,domain,first_rank,from,to,bandwidth_gb_s,latency_us,cables\n";
    for (const DrawnNode& node : document_.nodes()) {
        out += "node," + csvField(node.id) + (node.isHost() ? ",host," : ",switch,") + csvField(node.accelerator) + ',';
        out += (node.isHost() ? QByteArray::number(node.count) : QByteArray()) + ',' + QByteArray::number(node.replicas) + ',';
        out += csvField(node.domain) + ',' + (node.isHost() ? QByteArray::number(node.firstRank) : QByteArray()) + ",,,,,\n";
    }
    for (const DrawnLink& link : document_.links()) {
        out += "link,,,,,,,," + csvField(document_.nodes()[static_cast<std::size_t>(link.from)].id) + ',' +
               csvField(document_.nodes()[static_cast<std::size_t>(link.to)].id) + ',';
        out += QByteArray::number(link.bandwidth, 'g', 12) + ',' + QByteArray::number(link.latency, 'g', 12) + ',' +
               QByteArray::number(link.count) + '\n';
    }
    return out;
}

} // namespace orrery
