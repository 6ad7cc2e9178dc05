// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/painting/cluster_geometry.hpp"

#include "widgets/cluster/document/cluster_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace orrery {
namespace {

enum class Side { top,
                  bottom,
                  left,
                  right };

/// Links run mostly up and down; only between cards of one height do they leave sideways.
std::pair<Side, Side> sides(const QRectF& from, const QRectF& to) {
    if (to.bottom() < from.top()) return {Side::top, Side::bottom};
    if (to.top() > from.bottom()) return {Side::bottom, Side::top};
    return to.center().x() >= from.center().x() ? std::pair(Side::right, Side::left) : std::pair(Side::left, Side::right);
}

/// Leaving and arriving on the same side: above a row of cards, or to the right of a column.
std::pair<Side, Side> aroundSides(const QRectF& from, const QRectF& to) {
    const bool row = to.bottom() >= from.top() && to.top() <= from.bottom();
    return row ? std::pair(Side::top, Side::top) : std::pair(Side::right, Side::right);
}

/// Cards by the rows and columns that they stand in, to tell what a straight line along one would run through.
class Obstacles {
public:
    explicit Obstacles(const std::vector<QRectF>& cards) {
        for (const QRectF& card : cards) {
            rows_[std::lround(card.center().y())].push_back(card.center().x());
            columns_[std::lround(card.center().x())].push_back(card.center().y());
        }
        for (auto* lines : {&rows_, &columns_})
            for (auto& [place, along] : *lines) std::sort(along.begin(), along.end());
    }

    /// Whether a card stands between two others in one row or one column.
    bool between(const QRectF& from, const QRectF& to) const {
        const QPointF a = from.center(), b = to.center();
        if (std::lround(a.y()) == std::lround(b.y())) return any(rows_, std::lround(a.y()), a.x(), b.x());
        if (std::lround(a.x()) == std::lround(b.x())) return any(columns_, std::lround(a.x()), a.y(), b.y());
        return false;
    }

private:
    using Lines = std::map<long, std::vector<double>>;

    static bool any(const Lines& lines, long place, double a, double b) {
        const std::vector<double>& along = lines.at(place);
        const auto next = std::upper_bound(along.begin(), along.end(), std::min(a, b));
        return next != along.end() && *next < std::max(a, b);
    }

    Lines rows_;
    Lines columns_;
};

QPointF outward(Side side) {
    switch (side) {
    case Side::top: return {0, -1};
    case Side::bottom: return {0, 1};
    case Side::left: return {-1, 0};
    case Side::right: return {1, 0};
    }
    return {};
}

/// A place on the card's edge; `share` from -1 to 1 along it.
QPointF anchor(const QRectF& card, Side side, double share, double reach) {
    switch (side) {
    case Side::top: return {card.center().x() + share * reach, card.top()};
    case Side::bottom: return {card.center().x() + share * reach, card.bottom()};
    case Side::left: return {card.left(), card.center().y() + share * reach};
    case Side::right: return {card.right(), card.center().y() + share * reach};
    }
    return card.center();
}

struct End {
    std::size_t link;
    bool isStart;
    double other; ///< where the far end lies along this edge
    QPointF point;
};

double squared(QPointF p) { return p.x() * p.x() + p.y() * p.y(); }

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
    const QPointF ab = b - a;
    const double length = squared(ab);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, ab) / length, 0.0, 1.0) : 0;
    return std::sqrt(squared(p - (a + t * ab)));
}

} // namespace

QPointF LinkCurve::at(double t) const {
    if (riser) {
        // The cubic takes the first half of t, the two straight parts a quarter each.
        if (t > 0.75) return corner + (t - 0.75) * 4 * (finish - corner);
        if (t > 0.5) return end + (t - 0.5) * 4 * (corner - end);
        t *= 2;
    }
    const double s = 1 - t;
    return s * s * s * start + 3 * s * s * t * startControl + 3 * s * t * t * endControl + t * t * t * end;
}

QRectF LinkCurve::bounds() const {
    const auto [left, right] = std::minmax({start.x(), startControl.x(), endControl.x(), end.x()});
    const auto [top, bottom] = std::minmax({start.y(), startControl.y(), endControl.y(), end.y()});
    const QRectF cubic(left, top, right - left, bottom - top);
    if (!riser) return cubic;
    return cubic.united(QRectF(end, corner).normalized()).united(QRectF(corner, finish).normalized());
}

QPainterPath LinkCurve::cubicPath() const {
    QPainterPath path(start);
    path.cubicTo(startControl, endControl, end);
    return path;
}

QPainterPath LinkCurve::riserPath() const {
    if (!riser) return {};
    QPainterPath path(end);
    const double turn = std::min(std::abs(finish.x() - corner.x()), std::abs(corner.y() - end.y()));
    path.lineTo(corner.x(), corner.y() - std::copysign(turn, corner.y() - end.y()));
    path.quadTo(corner, {corner.x() + std::copysign(turn, finish.x() - corner.x()), corner.y()});
    path.lineTo(finish);
    return path;
}

QPainterPath LinkCurve::path() const {
    QPainterPath path = cubicPath();
    if (riser) path.connectPath(riserPath());
    return path;
}

ClusterGeometry::ClusterGeometry(const ClusterDocument& document)
    : ClusterGeometry(document, [&document] {
          std::vector<QPointF> centres;
          for (const DrawnNode& node : document.nodes()) centres.push_back(node.position);
          return centres;
      }()) {}

ClusterGeometry::ClusterGeometry(const ClusterDocument& document, const std::vector<QPointF>& centres) {
    for (std::size_t i = 0; i < document.nodes().size(); ++i) {
        const DrawnNode& node = document.nodes()[i];
        const QSizeF size = cardSize(node);
        cards_.emplace_back(centres[i].x() - size.width() / 2, centres[i].y() - size.height() / 2, size.width(), size.height());
        QRectF room = cards_.back();
        if (node.replicas > 1) room.adjust(0, -2 * stackOffset, 2 * stackOffset, 0);
        bounds_ |= room;
    }
    frameDomains(document);
    layOutLinks(document);
}

void ClusterGeometry::frameDomains(const ClusterDocument& document) {
    struct Members {
        QRectF rect;
        int hosts = 0;
        int accelerators = 0;
    };
    std::map<std::string, Members> members;
    for (std::size_t i = 0; i < cards_.size(); ++i) {
        const DrawnNode& node = document.nodes()[i];
        if (!node.isHost() || node.domain.empty()) continue;
        Members& domain = members[node.domain];
        domain.rect |= cards_[i];
        domain.hosts += 1;
        domain.accelerators += node.accelerators();
    }
    for (const auto& [name, domain] : members) {
        if (domain.hosts < 2) continue;
        domains_.push_back({name, domain.rect.adjusted(-12, -12, 12, 28), domain.accelerators});
        bounds_ |= domains_.back().rect;
    }
}

void ClusterGeometry::layOutLinks(const ClusterDocument& document) {
    const auto& links = document.links();
    std::vector<std::pair<Side, Side>> side(links.size());
    const Obstacles obstacles(cards_);
    // The ends on one edge of a card are spread in the order of where they lead, so that they do not cross there.
    std::vector<std::array<std::vector<End>, 4>> ends(cards_.size());
    for (std::size_t l = 0; l < links.size(); ++l) {
        const QRectF& from = cards_[static_cast<std::size_t>(links[l].from)];
        const QRectF& to = cards_[static_cast<std::size_t>(links[l].to)];
        // A host's links to a switch have their risers instead.
        const bool alike = document.nodes()[static_cast<std::size_t>(links[l].from)].kind == document.nodes()[static_cast<std::size_t>(links[l].to)].kind;
        side[l] = alike && obstacles.between(from, to) ? aroundSides(from, to) : sides(from, to);
        const auto along = [](Side edge, QPointF p) { return edge == Side::top || edge == Side::bottom ? p.x() : p.y(); };
        ends[static_cast<std::size_t>(links[l].from)][static_cast<std::size_t>(side[l].first)].push_back(
            {l, true, along(side[l].first, to.center()), {}});
        ends[static_cast<std::size_t>(links[l].to)][static_cast<std::size_t>(side[l].second)].push_back(
            {l, false, along(side[l].second, from.center()), {}});
    }
    curves_.resize(links.size());
    for (std::size_t n = 0; n < cards_.size(); ++n) {
        for (std::size_t s = 0; s < 4; ++s) {
            std::vector<End>& edge = ends[n][s];
            if (edge.empty()) continue;
            const auto where = static_cast<Side>(s);
            const bool horizontal = where == Side::top || where == Side::bottom;
            std::stable_sort(edge.begin(), edge.end(), [](const End& a, const End& b) { return a.other < b.other; });
            const double room = (horizontal ? cards_[n].width() : cards_[n].height()) / 2 - 14;
            const double reach = std::min(std::max(0.0, room), static_cast<double>(edge.size() - 1) * 5.5);
            for (std::size_t k = 0; k < edge.size(); ++k) {
                const double share = edge.size() == 1 ? 0 : 2.0 * static_cast<double>(k) / static_cast<double>(edge.size() - 1) - 1;
                const QPointF point = anchor(cards_[n], where, share, reach);
                (edge[k].isStart ? curves_[edge[k].link].start : curves_[edge[k].link].end) = point;
            }
        }
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
        LinkCurve& curve = curves_[l];
        const bool vertical = side[l].first == Side::top || side[l].first == Side::bottom;
        const double span = vertical ? std::abs(curve.end.y() - curve.start.y()) : std::abs(curve.end.x() - curve.start.x());
        double pull = std::max(16.0, span * 0.55);
        if (side[l].first == side[l].second) {
            // Around what stands between: a flat bend in the gap beside the cards, the wider the farther it goes.
            const QPointF by = curve.end - curve.start;
            pull = std::min(52.0, 14 + 5 * std::log2(1 + std::hypot(by.x(), by.y()) / 64));
        }
        curve.startControl = curve.start + pull * outward(side[l].first);
        curve.endControl = curve.end + pull * outward(side[l].second);
        if (side[l].first == side[l].second) bounds_ |= curve.bounds(); // above the first row, or beside the last column
    }
    layRisers(document);
}

void ClusterGeometry::layRisers(const ClusterDocument& document) {
    const auto& nodes = document.nodes();
    constexpr std::size_t mostHosts = 4096; // beyond, a link is a hair among a million
    if (nodes.size() > mostHosts) return;
    // What lies above a host in its column: how many cards deep, and where the uppermost begins.
    struct Column {
        int depth = 0;
        double top = 0;
    };
    std::vector<Column> above(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].isHost()) continue;
        above[i].top = cards_[i].top();
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            if (k == i || !nodes[k].isHost() || cards_[k].bottom() > cards_[i].top()) continue;
            if (cards_[k].left() >= cards_[i].right() || cards_[k].right() <= cards_[i].left()) continue;
            ++above[i].depth;
            above[i].top = std::min(above[i].top, cards_[k].top());
        }
    }
    int deepest = 1;
    for (const Column& column : above) deepest = std::max(deepest, column.depth);
    for (std::size_t l = 0; l < document.links().size(); ++l) {
        const DrawnLink& link = document.links()[l];
        const bool fromHost = nodes[static_cast<std::size_t>(link.from)].isHost();
        if (fromHost == nodes[static_cast<std::size_t>(link.to)].isHost()) continue;
        const auto host = static_cast<std::size_t>(fromHost ? link.from : link.to);
        const auto other = static_cast<std::size_t>(fromHost ? link.to : link.from);
        const QRectF& card = cards_[host];
        if (above[host].depth == 0 || cards_[other].bottom() >= above[host].top) continue;
        LinkCurve& curve = curves_[l];
        if (fromHost) std::swap(curve.start, curve.end);
        // All links of one host share its riser, like cables in a tray; deeper hosts have theirs farther out.
        const double room = 10.0 / deepest;
        const double x = card.left() - 3 - room * (above[host].depth - 1);
        curve.riser = true;
        curve.end = {x, above[host].top - 6};
        curve.corner = {x, card.center().y()};
        curve.finish = {card.left(), card.center().y()};
        const double pull = std::max(16.0, (curve.end.y() - curve.start.y()) * 0.55);
        curve.startControl = curve.start + QPointF(0, pull);
        curve.endControl = curve.end - QPointF(0, pull);
    }
}

int ClusterGeometry::nodeAt(QPointF point) const {
    for (std::size_t i = cards_.size(); i-- > 0;)
        if (cards_[i].contains(point)) return static_cast<int>(i);
    return -1;
}

int ClusterGeometry::linkAt(QPointF point, double tolerance) const {
    int best = -1;
    double nearest = tolerance;
    for (std::size_t l = 0; l < curves_.size(); ++l) {
        if (!curves_[l].bounds().adjusted(-tolerance, -tolerance, tolerance, tolerance).contains(point)) continue;
        QPointF previous = curves_[l].start;
        for (int step = 1; step <= 16; ++step) {
            const QPointF next = curves_[l].at(step / 16.0);
            if (const double d = distanceToSegment(point, previous, next); d < nearest) {
                nearest = d;
                best = static_cast<int>(l);
            }
            previous = next;
        }
    }
    return best;
}

} // namespace orrery
