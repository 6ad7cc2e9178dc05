// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/holder_tree.hpp"

#include "widgets/common/core_words.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <set>

namespace orrery {
namespace {

struct Holders {
    Q_DECLARE_TR_FUNCTIONS(Holders)
};

const QString separator(QStringLiteral("\x1f"));

} // namespace

QString holderPlace(const MemoryHolder& holder) {
    if (holder.layer >= 0) return Holders::tr("layer %1").arg(holder.layer);
    if (holder.piece == "embedding") return Holders::tr("embedding");
    if (holder.piece == "head") return Holders::tr("head");
    if (holder.piece == "next_token") return Holders::tr("next-token module");
    return QString::fromStdString(holder.piece);
}

HolderTree::HolderTree(const std::vector<MemoryHolder>& holders) {
    if (holders.empty()) return;
    add({}, MemoryKind::weights, -1);
    // A level of micro-batches only where some place holds several.
    std::map<std::pair<MemoryKind, QString>, std::set<int>> microBatches;
    for (const MemoryHolder& holder : holders) microBatches[{holder.kind, holderPlace(holder)}].insert(holder.microBatch);
    std::map<MemoryKind, int> kinds;
    std::map<std::pair<int, QString>, int> groups;
    const auto under = [&](int parent, const QString& name, MemoryKind kind) {
        const auto [found, fresh] = groups.try_emplace({parent, name}, -1);
        if (fresh) found->second = add(name, kind, parent);
        return found->second;
    };
    for (std::size_t i = 0; i < holders.size(); ++i) {
        const MemoryHolder& holder = holders[i];
        if (!(holder.bytes > 0)) continue;
        const auto [kind, fresh] = kinds.try_emplace(holder.kind, -1);
        if (fresh) kind->second = add(memoryKindName(holder.kind), holder.kind, 0);
        int parent = kind->second;
        const QString place = holderPlace(holder);
        if (!place.isEmpty()) parent = under(parent, place, holder.kind);
        if (holder.microBatch >= 0 && microBatches[{holder.kind, place}].size() > 1)
            parent = under(parent, Holders::tr("micro-batch %1").arg(holder.microBatch), holder.kind);
        const int leaf = add(coreWords(holder.tensor), holder.kind, parent);
        nodes_[static_cast<std::size_t>(leaf)].holder = static_cast<int>(i);
        nodes_[static_cast<std::size_t>(leaf)].bytes = holder.bytes;
    }
    // Children come after their parents in the list: sums go up from its end.
    for (std::size_t i = nodes_.size(); i-- > 1;) nodes_[static_cast<std::size_t>(nodes_[i].parent)].bytes += nodes_[i].bytes;
    for (HolderNode& node : nodes_)
        std::stable_sort(node.children.begin(), node.children.end(), [this](int a, int b) { return nodes_[static_cast<std::size_t>(a)].bytes > nodes_[static_cast<std::size_t>(b)].bytes; });
}

int HolderTree::add(QString name, MemoryKind kind, int parent) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.push_back({.name = std::move(name), .kind = kind, .parent = parent});
    if (parent >= 0) nodes_[static_cast<std::size_t>(parent)].children.push_back(index);
    return index;
}

bool HolderTree::isWithin(int node, int ancestor) const {
    while (node >= 0 && node != ancestor) node = this->node(node).parent;
    return node >= 0;
}

QString HolderTree::path(int index) const {
    QStringList names;
    for (int at = index; at > 0; at = node(at).parent) names.prepend(node(at).name);
    return names.join(separator);
}

int HolderTree::childNamed(int parent, const QString& name) const {
    for (const int child : node(parent).children)
        if (node(child).name == name) return child;
    return -1;
}

int HolderTree::find(const QString& path) const {
    int at = root();
    if (at < 0 || path.isEmpty()) return at;
    for (const QString& name : path.split(separator)) {
        const int next = childNamed(at, name);
        if (next < 0) break;
        at = next;
    }
    return at;
}

} // namespace orrery
