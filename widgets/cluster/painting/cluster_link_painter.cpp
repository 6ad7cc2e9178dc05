// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/painting/cluster_link_painter.hpp"
#include "widgets/cluster/painting/painting_colours.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>

namespace orrery {
namespace {

constexpr std::size_t coarseLinks = 1500; ///< more are drawn as hairs

/// Links of a large cluster as hairs: those that would fall on the same pixels are drawn once.
class CoarseLinks {
public:
    explicit CoarseLinks(double zoom) : zoom_(zoom) {}

    void add(const LinkCurve& curve) {
        if (curve.riser && seen_.insert(key(curve.corner, curve.finish)).second) {
            lines_.append(QLineF(curve.end, curve.corner));
            lines_.append(QLineF(curve.corner, curve.finish));
        }
        if (!seen_.insert(key(curve.start, curve.end)).second) return;
        LinkCurve cubic = curve;
        cubic.riser = false;
        QPointF previous = cubic.start;
        constexpr int steps = 10;
        for (int step = 1; step <= steps; ++step) {
            const QPointF next = cubic.at(static_cast<double>(step) / steps);
            lines_.append(QLineF(previous, next));
            previous = next;
        }
    }

    /// `width` in pixels, 0: the thinnest there is.
    void paint(QPainter& painter, const QColor& colour, double width = 0) const {
        if (lines_.isEmpty()) return;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing, false);
        QPen pen(colour, width);
        pen.setCosmetic(true);
        painter.setPen(pen);
        painter.drawLines(lines_);
        painter.restore();
    }

private:
    std::uint64_t key(QPointF a, QPointF b) const {
        constexpr double grain = 2; // px
        const auto part = [this](double value) { return static_cast<std::uint64_t>(std::llround(value * zoom_ / grain)) & 0xffff; };
        return part(a.x()) | part(a.y()) << 16 | part(b.x()) << 32 | part(b.y()) << 48;
    }

    double zoom_;
    QVector<QLineF> lines_;
    std::unordered_set<std::uint64_t> seen_;
};

/// What is asked of each link while a drawing is painted.
class LinkPainter {
public:
    LinkPainter(QPainter& painter, const ClusterDocument& document, const ClusterGeometry& geometry, const ClusterLook& look,
                const ThemeColors& colours, double zoom)
        : painter_(painter), document_(document), geometry_(geometry), look_(look), colours_(colours), zoom_(zoom),
          coarse_(document.links().size() > coarseLinks), calm_(idleLinkColour(colours)), marked_(document.links().size()),
          ofSelected_(document.nodes().size()) {
        // Many links form a tone, not lines: the more there are, the lighter each.
        const double density = std::clamp(64.0 / std::max<double>(1, static_cast<double>(document.links().size())), 0.0, 1.0);
        calm_.setAlphaF(static_cast<float>(0.28 + 0.42 * std::sqrt(density)));
        for (const LinkKey& key : look.selection.links)
            if (const DrawnLink* link = document.find(key)) marked_[static_cast<std::size_t>(link - document.links().data())] = true;
        // The links of a few nodes tell where they lead; of many they would only be loud.
        constexpr std::size_t fewNodes = 8;
        const bool few = look.selection.nodes.size() <= fewNodes;
        for (std::size_t n = 0; n < ofSelected_.size(); ++n)
            ofSelected_[n] = static_cast<int>(n) == look.hoveredNode || (few && look.selection.nodes.contains(document.nodes()[n].id));
    }

    void paint(const QRectF& visible) {
        std::vector<std::size_t> later;
        CoarseLinks idleHairs(zoom_);
        std::vector<CoarseLinks> hairs(loadSteps, CoarseLinks(zoom_));
        painter_.setBrush(Qt::NoBrush);
        for (std::size_t l = 0; l < geometry_.curves().size(); ++l) {
            if (!geometry_.curves()[l].bounds().adjusted(-4, -4, 4, 4).intersects(visible)) continue;
            if (standsOut(l)) {
                later.push_back(l);
                continue;
            }
            const std::optional<double> load = loadOf(l);
            if (!coarse_) paintPlain(l, load);
            else if (load && *load > 0) hairs[stepOf(*load)].add(geometry_.curves()[l]);
            else idleHairs.add(geometry_.curves()[l]);
        }
        idleHairs.paint(painter_, blend(colours_.panel, colours_.secondary, 0.16));
        for (std::size_t step = 0; step < loadSteps; ++step) {
            const double load = (static_cast<double>(step) + 0.5) / loadSteps;
            hairs[step].paint(painter_, stepped(loadColour(load, colours_, idleLinkColour(colours_))), load > 0.5 ? 2 : 0);
        }
        for (const std::size_t l : later) paintStanding(l);
    }

private:
    static constexpr std::size_t loadSteps = 6; ///< colours that hairs are told apart by

    static std::size_t stepOf(double load) { return std::min(loadSteps - 1, static_cast<std::size_t>(std::clamp(load, 0.0, 1.0) * loadSteps)); }

    std::optional<double> loadOf(std::size_t l) const {
        if (l >= look_.linkLoad.size() || !std::isfinite(look_.linkLoad[l])) return std::nullopt;
        return look_.linkLoad[l];
    }

    bool lighting() const { return !look_.litLinks.empty(); }
    bool isLit(std::size_t l) const { return l < look_.litLinks.size() && look_.litLinks[l]; }

    /// What is not on the lit path steps back.
    QColor stepped(QColor colour) const {
        if (lighting()) colour.setAlphaF(colour.alphaF() * 0.3F);
        return colour;
    }

    bool standsOut(std::size_t l) const {
        const int index = static_cast<int>(l);
        const DrawnLink& link = document_.links()[l];
        return marked_[l] || index == look_.hoveredLink || look_.linkProblems.contains(index) || look_.linkMarks.contains(index) || isLit(l) ||
               ofSelected_[static_cast<std::size_t>(link.from)] || ofSelected_[static_cast<std::size_t>(link.to)];
    }

    double widthOf(std::size_t l, const std::optional<double>& load) const {
        return linkWidth(document_.links()[l].total()) * (load ? loadWidening(*load) : 1);
    }

    void paintPlain(std::size_t l, const std::optional<double>& load) {
        const LinkCurve& curve = geometry_.curves()[l];
        painter_.setPen(QPen(stepped(load ? loadColour(*load, colours_, calm_) : calm_), std::max(widthOf(l, load), 0.7 / zoom_)));
        painter_.drawPath(curve.cubicPath());
        if (!curve.riser) return;
        const DrawnLink& link = document_.links()[l];
        const int host = document_.nodes()[static_cast<std::size_t>(link.from)].isHost() ? link.from : link.to;
        if (!risers_.insert(host).second) return; // it is one tray however many cables lie in it
        painter_.setPen(QPen(stepped(calm_), std::max(1.6, 0.9 / zoom_)));
        painter_.drawPath(curve.riserPath());
    }

    void paintStanding(std::size_t l) {
        const LinkCurve& curve = geometry_.curves()[l];
        const int index = static_cast<int>(l);
        const bool chosen = marked_[l] || index == look_.hoveredLink;
        const auto problem = look_.linkProblems.find(index);
        const auto mark = look_.linkMarks.find(index);
        const std::optional<double> load = loadOf(l);
        double width = std::max(widthOf(l, load) + (marked_[l] ? 1.2 : 0.2), 1 / zoom_);
        QColor colour = chosen ? colours_.accent : blend(colours_.panel, colours_.accent, 0.6);
        if (isLit(l) && !chosen) colour = colours_.accent;
        if (load && *load > 0) {
            // What it carries keeps its colour; that it is chosen or lit shows as a halo.
            const bool supposed = mark != look_.linkMarks.end() && !chosen && !isLit(l);
            QColor halo = !supposed ? colours_.accent : mark->second.down ? colours_.error
                                                                          : colours_.warning;
            halo.setAlphaF(chosen || isLit(l) ? 0.45F : supposed ? 0.3F
                                                                 : 0.2F);
            painter_.setPen(QPen(halo, width + std::max(4.0, 3 / zoom_)));
            painter_.drawPath(curve.path());
            colour = loadColour(*load, colours_, idleLinkColour(colours_));
        } else if (mark != look_.linkMarks.end()) {
            // What was just taken down is still chosen: it shows as down all the same.
            if (chosen) {
                QColor halo = colours_.accent;
                halo.setAlphaF(0.45F);
                painter_.setPen(QPen(halo, width + std::max(4.0, 3 / zoom_)));
                painter_.drawPath(curve.path());
            }
            colour = mark->second.down ? colours_.error : colours_.warning;
        }
        if (problem != look_.linkProblems.end() && !marked_[l]) colour = problemColour(problem->second, colours_);
        if (lighting() && !isLit(l) && !chosen) colour = stepped(colour);
        QPen pen(colour, width);
        if (problem != look_.linkProblems.end() || mark != look_.linkMarks.end()) pen.setDashPattern({4, 3});
        painter_.setPen(pen);
        painter_.drawPath(curve.path());
        if (mark != look_.linkMarks.end()) paintMark(curve, mark->second);
    }

    /// A cross for down, a bar across for degraded: the dashes alone would say "wrong".
    void paintMark(const LinkCurve& curve, const LinkMark& mark) {
        const QPointF at = curve.at(0.5);
        const double r = std::max(5.0, 4 / zoom_);
        painter_.setPen(QPen(mark.down ? colours_.error : colours_.warning, std::max(2.0, 1.6 / zoom_), Qt::SolidLine, Qt::RoundCap));
        painter_.drawLine(at + QPointF(-r, -r), at + QPointF(r, r));
        if (mark.down) painter_.drawLine(at + QPointF(-r, r), at + QPointF(r, -r));
    }

    QPainter& painter_;
    const ClusterDocument& document_;
    const ClusterGeometry& geometry_;
    const ClusterLook& look_;
    const ThemeColors& colours_;
    double zoom_;
    bool coarse_;
    QColor calm_;
    std::vector<bool> marked_;
    std::vector<bool> ofSelected_;
    std::unordered_set<int> risers_; ///< hosts whose riser is drawn
};

} // namespace

QColor idleLinkColour(const ThemeColors& colours) { return blend(colours.panel, colours.secondary, 0.62); }

QColor loadColour(double load, const ThemeColors& colours, const QColor& idle) {
    const double share = std::clamp(load, 0.0, 1.0);
    if (share == 0) return idle; // with its transparency
    return share < 0.5 ? blend(idle, colours.recompute, 0.25 + share * 1.5) : blend(colours.recompute, colours.data, share * 2 - 1);
}

double loadWidening(double load) { return 1 + 1.4 * std::clamp(load, 0.0, 1.0); }

double linkWidth(double gigabytesPerSecond) {
    if (!(gigabytesPerSecond > 0)) return 1;
    return std::clamp(1 + 0.4 * std::log2(gigabytesPerSecond / 50), 0.8, 4.0);
}

void paintLinks(QPainter& painter, const ClusterDocument& document, const ClusterGeometry& geometry, const ClusterLook& look,
                const Theme& theme, double zoom, const QRectF& visible) {
    LinkPainter(painter, document, geometry, look, theme.colors(), zoom).paint(visible);
}

namespace {

constexpr double badgeZoom = 0.3; ///< below, a badge's text can't be read

QFont readable(const Theme& theme, double pixels, double zoom) { return theme.font(std::clamp(pixels / std::min(zoom, 1.0), pixels, 2.2 * pixels), QFont::DemiBold); }

/// The point where the way from the card's centre to `target` leaves it.
QPointF edgeTowards(const QRectF& card, QPointF target) {
    const QPointF c = card.center(), d = target - c;
    const double sx = d.x() == 0 ? 1e9 : card.width() / 2 / std::abs(d.x()), sy = d.y() == 0 ? 1e9 : card.height() / 2 / std::abs(d.y());
    return c + std::min({sx, sy, 1.0}) * d;
}

} // namespace

void paintNodeMark(QPainter& painter, const QRectF& card, const NodeMark& mark, const Theme& theme, double zoom) {
    const ThemeColors& colours = theme.colors();
    const double width = std::max(2.0, 1.4 / zoom);
    painter.setBrush(Qt::NoBrush);
    if (mark.down || mark.degraded) {
        QPen pen(mark.down ? colours.error : colours.warning, width);
        pen.setDashPattern({4, 3});
        painter.setPen(pen);
        painter.drawRoundedRect(card, 7, 7);
    }
    if (mark.down) {
        painter.setPen(QPen(colours.error, width, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(card.topLeft() + QPointF(4, 4), card.bottomRight() - QPointF(4, 4));
        painter.drawLine(card.bottomLeft() + QPointF(4, -4), card.topRight() + QPointF(-4, 4));
    }
    if (!(mark.slowdown > 1)) return;
    if (zoom < badgeZoom) {
        painter.setPen(QPen(colours.warning, width));
        painter.drawRoundedRect(card.adjusted(-2, -2, 2, 2), 7, 7);
        return;
    }
    const QString text = QLocale(QLocale::English).toString(mark.slowdown, 'g', 3) + QStringLiteral("×");
    const QFont font = readable(theme, 11, zoom);
    const QFontMetricsF metrics(font);
    const QSizeF size(metrics.horizontalAdvance(text) + 10, metrics.height() + 2);
    const QRectF badge(card.left() - 6, card.top() - size.height() + 4, size.width(), size.height()); // above the id
    painter.setPen(QPen(colours.panel, 1.5));
    painter.setBrush(colours.warning);
    painter.drawRoundedRect(badge, size.height() / 2, size.height() / 2);
    painter.setPen(theme.textOn(colours.warning));
    painter.setFont(font);
    painter.drawText(badge, Qt::AlignCenter, text);
}

void paintArrows(QPainter& painter, const ClusterGeometry& geometry, const ClusterLook& look, const Theme& theme, double zoom) {
    const ThemeColors& colours = theme.colors();
    std::map<std::pair<int, int>, int> before;
    for (const TrafficArrow& arrow : look.arrows) {
        if (arrow.from < 0 || arrow.to < 0 || arrow.from == arrow.to) continue;
        const QRectF &from = geometry.cards()[static_cast<std::size_t>(arrow.from)], &to = geometry.cards()[static_cast<std::size_t>(arrow.to)];
        const QPointF across = to.center() - from.center();
        const double length = std::hypot(across.x(), across.y());
        if (length < 1) continue;
        // Bent to the left of its way, so that two of opposite ways, and those before, stay apart.
        const int bend = before[{arrow.from, arrow.to}]++;
        const QPointF aside = QPointF(across.y(), -across.x()) / length * (std::min(60.0, length * 0.2) + 26 * bend);
        const QPointF middle = (from.center() + to.center()) / 2 + aside;
        const QPointF start = edgeTowards(from, middle), end = edgeTowards(to, middle);
        const double width = std::max(2.4, 1.6 / zoom);
        QPainterPath path(start);
        path.quadTo(middle, end);
        QColor ink = colours.ink;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colours.panel, width + std::max(3.0, 2 / zoom)));
        painter.drawPath(path);
        QPen pen(ink, width);
        pen.setDashPattern({5, 2});
        painter.setPen(pen);
        painter.drawPath(path);
        const QPointF back = end - middle;
        const double reach = std::hypot(back.x(), back.y());
        if (reach > 0) {
            const QPointF along = back / reach, side(along.y(), -along.x());
            const double head = std::max(10.0, 7 / zoom);
            painter.setPen(Qt::NoPen);
            painter.setBrush(ink);
            painter.drawPolygon(QPolygonF{end, end - head * along + 0.45 * head * side, end - head * along - 0.45 * head * side});
        }
        if (zoom < badgeZoom) continue;
        const QFont font = readable(theme, 11, zoom);
        const QFontMetricsF metrics(font);
        const QSizeF size(metrics.horizontalAdvance(arrow.label) + 10, metrics.height() + 2);
        const QRectF plate(path.pointAtPercent(0.5) - QPointF(size.width() / 2, size.height() / 2), size);
        painter.setPen(QPen(ink, 1));
        painter.setBrush(colours.panel);
        painter.drawRoundedRect(plate, 4, 4);
        painter.setFont(font);
        painter.drawText(plate, Qt::AlignCenter, arrow.label);
    }
}

} // namespace orrery
