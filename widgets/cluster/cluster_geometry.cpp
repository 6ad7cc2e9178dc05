#include "widgets/cluster/cluster_geometry.hpp"

#include "widgets/cluster/cluster_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace orrery {
namespace {

enum class Side { top, bottom, left, right };

/// Links run mostly up and down; only between cards of one height do they leave sideways.
std::pair<Side, Side> sides(const QRectF& from, const QRectF& to) {
    if (to.bottom() < from.top()) return {Side::top, Side::bottom};
    if (to.top() > from.bottom()) return {Side::bottom, Side::top};
    return to.center().x() >= from.center().x() ? std::pair(Side::right, Side::left) : std::pair(Side::left, Side::right);
}

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
    const double s = 1 - t;
    return s * s * s * start + 3 * s * s * t * startControl + 3 * s * t * t * endControl + t * t * t * end;
}

QRectF LinkCurve::bounds() const {
    const auto [left, right] = std::minmax({start.x(), startControl.x(), endControl.x(), end.x()});
    const auto [top, bottom] = std::minmax({start.y(), startControl.y(), endControl.y(), end.y()});
    return {left, top, right - left, bottom - top};
}

QPainterPath LinkCurve::path() const {
    QPainterPath path(start);
    path.cubicTo(startControl, endControl, end);
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
        domains_.push_back({name, domain.rect.adjusted(-12, -28, 12, 12), domain.accelerators});
        bounds_ |= domains_.back().rect;
    }
}

void ClusterGeometry::layOutLinks(const ClusterDocument& document) {
    const auto& links = document.links();
    std::vector<std::pair<Side, Side>> side(links.size());
    // The ends on one edge of a card are spread in the order of where they lead, so that they do not cross there.
    std::vector<std::array<std::vector<End>, 4>> ends(cards_.size());
    for (std::size_t l = 0; l < links.size(); ++l) {
        const QRectF& from = cards_[static_cast<std::size_t>(links[l].from)];
        const QRectF& to = cards_[static_cast<std::size_t>(links[l].to)];
        side[l] = sides(from, to);
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
        const double pull = std::max(16.0, span * 0.55);
        curve.startControl = curve.start + pull * outward(side[l].first);
        curve.endControl = curve.end + pull * outward(side[l].second);
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
