// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/cluster_layout.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <vector>

namespace orrery {
namespace {

constexpr double torusGap = 44; ///< between cards: links around a ring bend through it

constexpr double planeGap = 112; ///< between the planes of a torus

constexpr double hostDrop = 72; ///< from a router to its hosts

constexpr double blockGap = 56;

constexpr int mostOnEllipse = 40; ///< groups; more stand in rows

constexpr double aspect = 1.9; ///< of the panel that the drawing is shown in

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

/// Centres for hosts that all have a place in a torus of two or three dimensions (or a ring): the first coordinate to the
/// right, the second down, and the planes of a third beside each other. Nothing for any other drawing.
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

/// Centres for a drawing whose switches are all in groups: each group with its hosts is a block, and the blocks stand around
/// an ellipse with the switches towards its middle, or in rows where there are too many. Nothing for any other drawing.
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

constexpr double cardWidth = 112;
constexpr double cardPadding = 8;
constexpr double domainPadding = 16; ///< room for the frame around hosts of one scale-up domain
constexpr double domainLabel = 16;
constexpr double switchRise = 128; ///< between the lowest switches and the hosts: links need it to bend calmly
constexpr double spineRise = 96;
constexpr double lineRise = 56; ///< between the lines of one level of switches
constexpr double preferredAspect = 3;

/// Columns for `n` cells of a size so that the block is about as wide as the panel it is shown in; a divisor of `n`, or
/// a multiple of 8 or 4, is preferred: hosts come in such numbers.
int gridColumns(int n, double cellWidth, double cellHeight, int singleRow) {
    if (n <= singleRow) return n;
    const double ideal = std::sqrt(n * cellHeight / cellWidth * preferredAspect);
    int best = std::max(1, static_cast<int>(std::lround(ideal)));
    double bestPenalty = 1e9;
    for (int columns = std::max(1, static_cast<int>(ideal * 0.65)); columns <= ideal * 1.5; ++columns) {
        double penalty = std::abs(std::log(columns / ideal));
        if (n % columns != 0) penalty += 0.25;
        if (columns % 8 != 0) penalty += 0.05;
        if (columns % 4 != 0) penalty += 0.05;
        if (penalty < bestPenalty) {
            bestPenalty = penalty;
            best = columns;
        }
    }
    return best;
}

/// Hosts that are laid out together: one scale-up domain, or all that share none.
struct Block {
    std::vector<int> nodes;
    bool framed = false;
    int columns = 1;
    double cellWidth = 0;
    double cellHeight = 0;
    double width = 0;
    double height = 0;
};

std::vector<Block> hostBlocks(const std::vector<DrawnNode>& nodes) {
    std::map<std::string, int> members;
    for (const DrawnNode& node : nodes)
        if (node.isHost() && !node.domain.empty()) ++members[node.domain];
    std::vector<Block> blocks;
    std::map<std::string, std::size_t> blockOf;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const DrawnNode& node = nodes[i];
        if (!node.isHost()) continue;
        const bool framed = !node.domain.empty() && members[node.domain] > 1;
        const auto [it, isNew] = blockOf.try_emplace(framed ? node.domain : std::string(), blocks.size());
        if (isNew) blocks.push_back({.nodes = {}, .framed = framed});
        blocks[it->second].nodes.push_back(static_cast<int>(i));
    }
    for (Block& block : blocks) {
        for (const int node : block.nodes) {
            const QSizeF size = cardSize(nodes[static_cast<std::size_t>(node)]);
            block.cellWidth = std::max(block.cellWidth, size.width() + cardGap);
            block.cellHeight = std::max(block.cellHeight, size.height() + cardGap);
        }
        const int n = static_cast<int>(block.nodes.size());
        block.columns = gridColumns(n, block.cellWidth, block.cellHeight, 10);
        const int rows = (n + block.columns - 1) / block.columns;
        block.width = block.columns * block.cellWidth + (block.framed ? 2 * domainPadding : 0);
        block.height = rows * block.cellHeight + (block.framed ? 2 * domainPadding + domainLabel : 0);
    }
    return blocks;
}

/// Where each host of a block stands, as column and row. Hosts that are each on one switch stand below it together, in the
/// order of the switches; all others line by line.
std::vector<std::pair<int, int>> hostCells(Block& block, const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links) {
    std::vector<std::pair<int, int>> cells;
    for (std::size_t i = 0; i < block.nodes.size(); ++i) cells.emplace_back(static_cast<int>(i) % block.columns, static_cast<int>(i) / block.columns);
    std::map<int, int> switchOf;
    for (const DrawnLink& link : links)
        for (const auto& [host, other] : {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
            if (!nodes[static_cast<std::size_t>(host)].isHost() || nodes[static_cast<std::size_t>(other)].isHost()) continue;
            if (const auto [it, added] = switchOf.try_emplace(host, other); !added && it->second != other) return cells;
        }
    std::map<int, std::vector<std::size_t>> below;
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
        const auto found = switchOf.find(block.nodes[i]);
        if (found == switchOf.end()) return cells;
        below[found->second].push_back(i);
    }
    std::size_t most = 0;
    for (const auto& [leaf, hosts] : below) most = std::max(most, hosts.size());
    const int rows = (static_cast<int>(block.nodes.size()) + block.columns - 1) / block.columns;
    if (below.size() < 2 || rows < 2) return cells;
    const int wide = std::max(1, (static_cast<int>(most) + rows - 1) / rows);
    // Uneven switches would leave holes; a few do no harm.
    if (static_cast<std::size_t>(wide) * static_cast<std::size_t>(rows) * below.size() > block.nodes.size() * 3 / 2) return cells;
    int first = 0;
    for (const auto& [leaf, hosts] : below) {
        for (std::size_t k = 0; k < hosts.size(); ++k) cells[hosts[k]] = {first + static_cast<int>(k) % wide, static_cast<int>(k) / wide};
        first += wide;
    }
    block.columns = first;
    block.width = block.columns * block.cellWidth + (block.framed ? 2 * domainPadding : 0);
    return cells;
}

/// Hops from the nearest host; a switch no host reaches counts as a leaf.
std::vector<int> switchLevels(const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links) {
    std::vector<std::vector<int>> neighbours(nodes.size());
    for (const DrawnLink& link : links) {
        neighbours[static_cast<std::size_t>(link.from)].push_back(link.to);
        neighbours[static_cast<std::size_t>(link.to)].push_back(link.from);
    }
    std::vector<int> level(nodes.size(), -1);
    std::deque<int> open;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].isHost()) {
            level[i] = 0;
            open.push_back(static_cast<int>(i));
        }
    while (!open.empty()) {
        const auto node = static_cast<std::size_t>(open.front());
        open.pop_front();
        for (const int next : neighbours[node])
            if (level[static_cast<std::size_t>(next)] < 0) {
                level[static_cast<std::size_t>(next)] = level[node] + 1;
                open.push_back(next);
            }
    }
    for (int& value : level) value = value < 0 ? 1 : value;
    return level;
}

} // namespace

RankSquares rankSquares(int count) {
    if (count <= 0) return {};
    const double inner = cardWidth - 2 * cardPadding;
    RankSquares grid;
    grid.columns = count <= 8 ? 4 : count <= 16 ? 8
                                                : static_cast<int>(std::ceil(std::sqrt(count * 2.0)));
    grid.rows = (count + grid.columns - 1) / grid.columns;
    grid.gap = count <= 8 ? 4 : count <= 32 ? 2
                                            : 1;
    grid.cell = (inner - (grid.columns - 1) * grid.gap) / grid.columns;
    return grid;
}

QSizeF cardSize(const DrawnNode& node) {
    if (!node.isHost()) return {cardWidth, 32};
    const RankSquares grid = rankSquares(node.count);
    const double squares = grid.rows > 0 ? grid.rows * grid.cell + (grid.rows - 1) * grid.gap : 0;
    return {cardWidth, std::ceil(28 + squares + 8 + 4 + 22)};
}

QPointF snapped(QPointF point) {
    return {std::round(point.x() / gridStep) * gridStep, std::round(point.y() / gridStep) * gridStep};
}

namespace {

/// Hosts in a grid below, switches in rows above by their distance from them.
std::vector<QPointF> levelLayout(const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links) {
    std::vector<QPointF> centres(nodes.size());
    std::vector<Block> blocks = hostBlocks(nodes);
    std::vector<std::vector<std::pair<int, int>>> cells;
    for (Block& block : blocks) cells.push_back(hostCells(block, nodes, links));

    // Blocks flow in rows whose number is chosen like a grid's.
    double blockWidth = 0, blockHeight = 0;
    for (const Block& block : blocks) {
        blockWidth = std::max(blockWidth, block.width);
        blockHeight = std::max(blockHeight, block.height);
    }
    const int perRow = blocks.empty() ? 1 : gridColumns(static_cast<int>(blocks.size()), blockWidth, blockHeight, 2);
    double left = 0, top = 0, rowHeight = 0, hostsWidth = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Block& block = blocks[b];
        if (b > 0 && static_cast<int>(b) % perRow == 0) {
            top += rowHeight + cardGap;
            left = rowHeight = 0;
        }
        const double inset = block.framed ? domainPadding : 0;
        const double head = inset;
        for (std::size_t i = 0; i < block.nodes.size(); ++i) {
            const auto [column, row] = cells[b][i];
            centres[static_cast<std::size_t>(block.nodes[i])] = {left + inset + (column + 0.5) * block.cellWidth,
                                                                 top + head + (row + 0.5) * block.cellHeight};
        }
        left += block.width + cardGap;
        hostsWidth = std::max(hostsWidth, left - cardGap);
        rowHeight = std::max(rowHeight, block.height);
    }

    const std::vector<int> levels = switchLevels(nodes, links);
    std::map<int, std::vector<int>> rows;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!nodes[i].isHost()) rows[levels[i]].push_back(static_cast<int>(i));
    // Many switches of one level break into several lines, so that the drawing keeps the shape of a panel.
    constexpr double widestLine = 32 * (cardWidth + cardGap);
    const auto perLine = static_cast<std::size_t>(std::max(hostsWidth, widestLine) / (cardWidth + cardGap));
    double width = hostsWidth;
    for (const auto& [level, row] : rows) width = std::max(width, static_cast<double>(std::min(row.size(), perLine)) * (cardWidth + cardGap));
    double y = 0;
    for (const auto& [level, row] : rows) {
        // Wide drawings are higher too, or their links would lie flat.
        y -= std::max(level == rows.begin()->first ? switchRise : spineRise, width / 16);
        const std::size_t lines = (row.size() + perLine - 1) / perLine, inLine = (row.size() + lines - 1) / lines;
        const double n = static_cast<double>(inLine);
        const double pitch = std::clamp(hostsWidth / n, cardWidth + cardGap, std::max(2.5 * cardWidth, hostsWidth / 12));
        const double start = hostsWidth / 2 - (n - 1) * pitch / 2;
        y -= static_cast<double>(lines - 1) * lineRise;
        for (std::size_t i = 0; i < row.size(); ++i)
            centres[static_cast<std::size_t>(row[i])] = {start + static_cast<double>(i % inLine) * pitch,
                                                         y + 16 + static_cast<double>(i / inLine) * lineRise};
    }
    return centres;
}

} // namespace

std::vector<QPointF> tidyLayout(const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links) {
    std::optional<std::vector<QPointF>> shaped = torusLayout(nodes);
    if (!shaped) shaped = dragonflyLayout(nodes, links);
    std::vector<QPointF> centres = shaped ? std::move(*shaped) : levelLayout(nodes, links);

    // Around the origin; only the whole is snapped, so that rows stay even.
    QRectF bounds;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const QSizeF size = cardSize(nodes[i]);
        bounds |= QRectF(centres[i].x() - size.width() / 2, centres[i].y() - size.height() / 2, size.width(), size.height());
    }
    const QPointF middle = snapped(bounds.center());
    for (QPointF& centre : centres) centre = (centre - middle).toPoint();
    return centres;
}

} // namespace orrery
