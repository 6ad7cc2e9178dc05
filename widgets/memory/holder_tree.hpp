// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/memory_holders.hpp"

#include <QString>

#include <vector>

namespace orrery {

/// A node of what holds memory: everything, a kind, a layer (or another piece), a micro-batch, a tensor.
struct HolderNode {
    QString name;
    MemoryKind kind = MemoryKind::weights;
    double bytes = 0;
    int parent = -1;
    int holder = -1;                ///< index into the holders, of a tensor
    std::vector<int> children = {}; ///< largest first
};

/// Holders as a tree, kind → layer → micro-batch → tensor; a level where there is but one thing to tell apart is left out.
class HolderTree {
public:
    HolderTree() = default;
    explicit HolderTree(const std::vector<MemoryHolder>& holders);

    bool isEmpty() const { return nodes_.empty(); }
    int size() const { return static_cast<int>(nodes_.size()); }
    const HolderNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
    int root() const { return nodes_.empty() ? -1 : 0; }
    bool isWithin(int node, int ancestor) const;
    /// Names from the kind down; the same at another moment for the same thing.
    QString path(int node) const;
    int find(const QString& path) const; ///< the node, or the nearest there is above it; the root for an empty path

private:
    int add(QString name, MemoryKind kind, int parent);
    int childNamed(int parent, const QString& name) const;

    std::vector<HolderNode> nodes_;
};

/// "layer 12", "embedding"; empty for what belongs to no piece.
QString holderPlace(const MemoryHolder& holder);

} // namespace orrery
