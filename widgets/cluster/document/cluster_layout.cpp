// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/cluster_layout.hpp"

#include "widgets/cluster/document/group_layout.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace orrery {
namespace {

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
