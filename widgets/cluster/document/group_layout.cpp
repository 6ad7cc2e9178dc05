// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/group_layout.hpp"

#include "widgets/cluster/document/cluster_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace orrery {
namespace {

constexpr double torusGap = 44;  ///< between cards: links around a ring bend through it
constexpr double planeGap = 112; ///< between the planes of a torus
constexpr double hostDrop = 72;  ///< from a router to its hosts
constexpr double blockGap = 56;
constexpr int mostOnEllipse = 40; ///< groups; more stand in rows
constexpr double aspect = 1.9;    ///< of the panel that the drawing is shown in

/// Columns for `n` blocks of a size so that all together have about the panel's shape.
int columnsFor(int n, double width, double height) {
    return std::clamp(static_cast<int>(std::lround(std::sqrt(n * height / width * aspect))), 1, std::max(1, n));
}

/// A group of a dragonfly, laid out around its own middle with the switches on top.
struct GroupBlock {
    std::vector<int> routers;
    std::map<int, QPointF> places;
    double width = 0;
    double height = 0;
};

GroupBlock layOut(std::vector<int> routers, const std::map<int, std::vector<int>>& hostsOf, const std::vector<DrawnNode>& nodes) {
    GroupBlock block;
    const double routerHeight = cardSize(nodes[static_cast<std::size_t>(routers.front())]).height();
    double left = 0;
    for (const int router : routers) {
        const auto found = hostsOf.find(router);
        const std::vector<int> hosts = found == hostsOf.end() ? std::vector<int>() : found->second;
        const int columns = std::max(1, std::min(static_cast<int>(hosts.size()), hosts.size() > 4 ? 4 : 2));
        double cellWidth = cardSize(nodes[static_cast<std::size_t>(router)]).width() + cardGap, cellHeight = 0;
        for (const int host : hosts) cellHeight = std::max(cellHeight, cardSize(nodes[static_cast<std::size_t>(host)]).height() + cardGap);
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            const auto column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
            block.places[hosts[i]] = {left + (column + 0.5) * cellWidth, routerHeight + hostDrop + (row + 0.5) * cellHeight - cardGap / 2};
            block.height = std::max(block.height, routerHeight + hostDrop + (row + 1) * cellHeight - cardGap);
        }
        block.places[router] = {left + columns * cellWidth / 2, routerHeight / 2};
        left += columns * cellWidth;
    }
    block.width = left - cardGap;
    block.height = std::max(block.height, routerHeight);
    block.routers = std::move(routers);
    for (auto& [node, place] : block.places) place -= QPointF(left / 2, block.height / 2);
    return block;
}

/// Middles of `count` blocks around an ellipse that is just large enough.
std::vector<QPointF> ellipse(int count, double width, double height) {
    std::vector<QPointF> middles(static_cast<std::size_t>(count));
    if (count == 1) return middles;
    for (double radius = std::max(width, height) / 2;; radius *= 1.05) {
        for (int i = 0; i < count; ++i) {
            const double angle = 2 * std::numbers::pi * i / count - std::numbers::pi / 2;
            middles[static_cast<std::size_t>(i)] = {radius * aspect * std::cos(angle), radius * std::sin(angle)};
        }
        bool apart = true;
        for (int i = 0; i < count && apart; ++i)
            for (int k = 0; k < i && apart; ++k) {
                const QPointF by = middles[static_cast<std::size_t>(i)] - middles[static_cast<std::size_t>(k)];
                apart = std::abs(by.x()) >= width + blockGap || std::abs(by.y()) >= height + blockGap;
            }
        if (apart) return middles;
    }
}

} // namespace

std::optional<std::vector<QPointF>> torusLayout(const std::vector<DrawnNode>& nodes) {
    if (nodes.empty()) return std::nullopt;
    const std::size_t dimensions = nodes.front().coordinates.size();
    if (dimensions < 1 || dimensions > 3) return std::nullopt;
    std::set<std::vector<int>> taken;
    QSizeF cell;
    std::vector<int> least = nodes.front().coordinates, most = least;
    for (const DrawnNode& node : nodes) {
        if (!node.isHost() || node.coordinates.size() != dimensions || !taken.insert(node.coordinates).second) return std::nullopt;
        cell = cell.expandedTo(cardSize(node));
        for (std::size_t d = 0; d < dimensions; ++d) {
            least[d] = std::min(least[d], node.coordinates[d]);
            most[d] = std::max(most[d], node.coordinates[d]);
        }
    }
    const auto extent = [&](std::size_t d) { return d < dimensions ? static_cast<double>(most[d]) - least[d] + 1 : 1.0; };
    // Coordinates that are far apart are some other numbering, not a place to draw at.
    if (extent(0) * extent(1) * extent(2) > 4.0 * static_cast<double>(nodes.size()) + 64) return std::nullopt;
    cell += QSizeF(torusGap, torusGap);
    const double planeWidth = extent(0) * cell.width() + planeGap - torusGap, planeHeight = extent(1) * cell.height() + planeGap - torusGap;
    // Few planes stand in one row, where the links between them run along; many fill the panel.
    constexpr double widestRow = 20; // cards
    const bool oneRow = extent(2) <= 4 || extent(0) * extent(2) <= widestRow;
    const int planeColumns = oneRow ? static_cast<int>(extent(2)) : columnsFor(static_cast<int>(extent(2)), planeWidth, planeHeight);
    std::vector<QPointF> centres;
    for (const DrawnNode& node : nodes) {
        const auto at = [&](std::size_t d) { return d < dimensions ? node.coordinates[d] - least[d] : 0; };
        centres.emplace_back(at(0) * cell.width() + at(2) % planeColumns * planeWidth, at(1) * cell.height() + at(2) / planeColumns * planeHeight);
    }
    return centres;
}

std::optional<std::vector<QPointF>> dragonflyLayout(const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links) {
    std::map<std::string, std::size_t> groupOf;
    std::vector<std::vector<int>> routers; // by group, in the order of the file
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].isHost()) continue;
        if (nodes[i].group.empty()) return std::nullopt;
        const auto [it, added] = groupOf.try_emplace(nodes[i].group, routers.size());
        if (added) routers.emplace_back();
        routers[it->second].push_back(static_cast<int>(i));
    }
    if (routers.empty()) return std::nullopt;
    std::map<int, std::vector<int>> hostsOf;
    std::set<int> housed;
    for (const DrawnLink& link : links) {
        const bool fromHost = nodes[static_cast<std::size_t>(link.from)].isHost();
        if (fromHost == nodes[static_cast<std::size_t>(link.to)].isHost()) continue;
        const int host = fromHost ? link.from : link.to;
        if (housed.insert(host).second) hostsOf[fromHost ? link.to : link.from].push_back(host);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].isHost() && !housed.contains(static_cast<int>(i))) return std::nullopt;

    std::vector<GroupBlock> blocks;
    double width = 0, height = 0;
    for (std::vector<int>& group : routers) {
        blocks.push_back(layOut(std::move(group), hostsOf, nodes));
        width = std::max(width, blocks.back().width);
        height = std::max(height, blocks.back().height);
    }
    const int count = static_cast<int>(blocks.size());
    std::vector<QPointF> middles;
    if (count <= mostOnEllipse) {
        middles = ellipse(count, width, height);
    } else {
        const int columns = columnsFor(count, width + blockGap, height + blockGap);
        for (int i = 0; i < count; ++i) middles.emplace_back(i % columns * (width + blockGap), i / columns * (height + blockGap));
    }
    std::vector<QPointF> centres(nodes.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        // In the upper half the switches are at the bottom, towards the other groups.
        const bool turned = count > 1 && count <= mostOnEllipse && middles[b].y() < -1;
        for (const auto& [node, place] : blocks[b].places)
            centres[static_cast<std::size_t>(node)] = middles[b] + QPointF(place.x(), turned ? -place.y() : place.y());
    }
    return centres;
}

} // namespace orrery
