// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/network/link_load_model.hpp"
#include "core/base/text.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QCollator>
#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <numeric>
#include <set>

namespace orrery {
namespace {

struct LinkText {
    Q_DECLARE_TR_FUNCTIONS(LinkText)
};

} // namespace

QString linkTitle(const ReportLink& link) {
    const QString from = QString::fromStdString(link.from), to = QString::fromStdString(link.to);
    switch (link.kind) {
    case LinkKind::cable: return (link.backward ? to : from) + QStringLiteral(" – ") + (link.backward ? from : to);
    case LinkKind::scale_up: return LinkText::tr("%1 · scale-up").arg(coreWords(from));
    case LinkKind::pcie: return LinkText::tr("%1 · PCIe").arg(coreWords(from));
    }
    return {};
}

QString linkDirection(const ReportLink& link) {
    if (link.kind == LinkKind::cable) return QStringLiteral("→ ") + QString::fromStdString(link.to);
    return link.backward ? LinkText::tr("into the accelerators") : LinkText::tr("out of the accelerators");
}

QString linkBytes(double bytes, bool perSecond) { return readableRate(bytes, perSecond ? QStringLiteral("B/s") : QStringLiteral("B")).text(); }

QString linkUsers(const Timeline& timeline, const LinkLoad& load, int most) {
    QStringList shown;
    for (std::size_t i = 0; i < load.users.size() && shown.size() < most; ++i) {
        const auto& [op, bytes] = load.users[i];
        if (op >= timeline.operators.size() || !(load.bytes > 0)) continue;
        const Readable share = {grouped(100 * bytes / load.bytes), QStringLiteral("%")};
        shown << QString::fromStdString(timeline.operators[op].op.name) + QLatin1Char(' ') + share.text();
    }
    const auto left = static_cast<qsizetype>(load.users.size()) - shown.size();
    if (left > 0 && !shown.isEmpty()) shown << LinkText::tr("%1 more").arg(left);
    return shown.join(QStringLiteral(" · "));
}

namespace {

bool isWord(int column) {
    return column == LinkLoadModel::linkColumn || column == LinkLoadModel::directionColumn || column == LinkLoadModel::usersColumn;
}

QByteArray csvField(const QString& text) { return QByteArray::fromStdString(csvCell(text.toStdString())); }

} // namespace

LinkLoadModel::LinkLoadModel(const Theme& theme, const NetworkTraffic& traffic, QObject* parent)
    : QAbstractTableModel(parent), theme_(theme), traffic_(traffic) {}

const LinkLoad& LinkLoadModel::load(int link) const {
    static const LinkLoad none;
    const auto place = static_cast<std::size_t>(link);
    return place < traffic_.loads().size() ? traffic_.loads()[place] : none;
}

void LinkLoadModel::replaceLinks() {
    beginResetModel();
    titleRank_.clear();
    makeRows();
    endResetModel();
}

void LinkLoadModel::setFilter(const QString& text) {
    if (text == filter_) return;
    beginResetModel();
    filter_ = text;
    makeRows();
    endResetModel();
}

void LinkLoadModel::makeRows() {
    rows_.clear();
    rowOf_.clear();
    if (!traffic_.isKnown()) return;
    const NetworkReport& network = traffic_.network();
    std::vector<bool> shown(network.links.size(), filter_.isEmpty());
    if (!filter_.isEmpty()) {
        const auto matches = [this](const std::string& text) { return QString::fromStdString(text).contains(filter_, Qt::CaseInsensitive); };
        for (std::size_t i = 0; i < shown.size(); ++i)
            shown[i] = linkTitle(network.links[i]).contains(filter_, Qt::CaseInsensitive) ||
                       linkDirection(network.links[i]).contains(filter_, Qt::CaseInsensitive);
        // Whoever uses it at any time, not only now: rows do not come and go with the cursor.
        std::set<std::int32_t> patterns;
        for (const auto& row : network.patternOf)
            for (std::size_t op = 0; op < row.size() && op < traffic_.timeline().operators.size(); ++op)
                if (row[op] >= 0 && !patterns.contains(row[op]) && matches(traffic_.timeline().operators[op].op.name)) patterns.insert(row[op]);
        for (const std::int32_t pattern : patterns)
            for (const LinkUse& use : network.patterns[static_cast<std::size_t>(pattern)].uses) shown[use.link] = true;
    }
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (shown[i]) rows_.push_back(static_cast<int>(i));
    order();
}

void LinkLoadModel::makeTitleRanks() const {
    const auto& links = traffic_.network().links;
    QCollator collator;
    collator.setNumericMode(true);
    std::vector<QCollatorSortKey> keys;
    keys.reserve(links.size());
    for (const ReportLink& link : links) keys.push_back(collator.sortKey(linkTitle(link) + QLatin1Char('\t') + linkDirection(link)));
    std::vector<int> sorted(links.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&keys](int a, int b) { return keys[static_cast<std::size_t>(a)].compare(keys[static_cast<std::size_t>(b)]) < 0; });
    titleRank_.resize(links.size());
    for (std::size_t place = 0; place < sorted.size(); ++place) titleRank_[static_cast<std::size_t>(sorted[place])] = static_cast<int>(place);
}

double LinkLoadModel::number(int link, int column) const {
    const LinkLoad& now = load(link);
    switch (column) {
    case bytesColumn: return now.bytes;
    case loadColumn: return now.mean;
    case busiestColumn: return now.peak;
    case capacityColumn: return traffic_.network().links[static_cast<std::size_t>(link)].capacity;
    default: return 0;
    }
}

void LinkLoadModel::order() {
    std::sort(rows_.begin(), rows_.end()); // equal rows keep the report's order, whatever was sorted before
    const bool down = sortOrder_ == Qt::DescendingOrder;
    const auto sortBy = [&](const auto& keys) {
        std::stable_sort(rows_.begin(), rows_.end(), [&](int a, int b) {
            const auto& x = keys[static_cast<std::size_t>(a)];
            const auto& y = keys[static_cast<std::size_t>(b)];
            return down ? y < x : x < y;
        });
    };
    const std::size_t links = traffic_.isKnown() ? traffic_.network().links.size() : 0;
    if (sortColumn_ == linkColumn) {
        if (titleRank_.size() != links) makeTitleRanks();
        sortBy(titleRank_);
    } else if (isWord(sortColumn_)) {
        std::vector<QString> keys(links);
        for (const int link : rows_) keys[static_cast<std::size_t>(link)] = text(link, sortColumn_);
        sortBy(keys);
    } else {
        std::vector<double> keys(links);
        for (const int link : rows_) keys[static_cast<std::size_t>(link)] = number(link, sortColumn_);
        sortBy(keys);
    }
    rowOf_.assign(links, -1);
    for (std::size_t row = 0; row < rows_.size(); ++row) rowOf_[static_cast<std::size_t>(rows_[row])] = static_cast<int>(row);
}

void LinkLoadModel::updateLoads() {
    if (rows_.empty()) return;
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList held = persistentIndexList();
    std::vector<int> links;
    for (const QModelIndex& index : held) links.push_back(linkAt(index.row()));
    order();
    QModelIndexList moved;
    for (qsizetype i = 0; i < held.size(); ++i) moved << index(rowOf_[static_cast<std::size_t>(links[static_cast<std::size_t>(i)])], held[i].column());
    changePersistentIndexList(held, moved);
    emit layoutChanged({}, VerticalSortHint);
}

void LinkLoadModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= columnTotal) return;
    sortColumn_ = column;
    sortOrder_ = order;
    updateLoads();
    emit headerDataChanged(Qt::Horizontal, 0, columnTotal - 1);
}

std::optional<int> LinkLoadModel::rowOf(int link) const {
    if (link < 0 || static_cast<std::size_t>(link) >= rowOf_.size() || rowOf_[static_cast<std::size_t>(link)] < 0) return std::nullopt;
    return rowOf_[static_cast<std::size_t>(link)];
}

std::vector<int> LinkLoadModel::allRows() const {
    std::vector<int> all(rows_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

int LinkLoadModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int LinkLoadModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QString LinkLoadModel::text(int link, int column) const {
    const ReportLink& one = traffic_.network().links[static_cast<std::size_t>(link)];
    const LinkLoad& now = load(link);
    switch (column) {
    case linkColumn: return linkTitle(one);
    case directionColumn: return linkDirection(one);
    case bytesColumn: return linkBytes(now.bytes, traffic_.scope() == NetworkTraffic::Scope::moment);
    case loadColumn: return readablePercent(now.mean).text();
    case busiestColumn: return readablePercent(now.peak).text();
    case capacityColumn: return linkBytes(one.capacity, true);
    case usersColumn: return linkUsers(traffic_.timeline(), now, 3);
    default: return {};
    }
}

QVariant LinkLoadModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const int link = linkAt(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(link, index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(index.column()) ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::ForegroundRole: return load(link).bytes > 0 ? QVariant() : QVariant(theme_.colors().secondary);
    case Qt::ToolTipRole: {
        const ReportLink& one = traffic_.network().links[static_cast<std::size_t>(link)];
        const QString users = linkUsers(traffic_.timeline(), load(link), 12);
        const QString copies = one.copies > 1 ? tr("%1 alike, %2 each").arg(grouped(one.copies), linkBytes(one.capacity / one.copies, true)) : QString();
        QStringList lines{linkTitle(one) + QLatin1Char(' ') + linkDirection(one)};
        if (!copies.isEmpty()) lines << copies;
        lines << (users.isEmpty() ? tr("idle, %1").arg(traffic_.scopeText()) : users);
        return lines.join(QLatin1Char('\n'));
    }
    default: return {};
    }
}

QString LinkLoadModel::title(int column) const {
    switch (column) {
    case linkColumn: return tr("link");
    case directionColumn: return tr("direction");
    case bytesColumn: return traffic_.scope() == NetworkTraffic::Scope::moment ? tr("rate") : tr("bytes");
    case loadColumn: return tr("load");
    case busiestColumn: return tr("busiest");
    case capacityColumn: return tr("capacity");
    case usersColumn: return tr("users");
    default: return {};
    }
}

QVariant LinkLoadModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(section) ? Qt::AlignLeft : Qt::AlignRight)));
    if (role == Qt::ToolTipRole && section == loadColumn) return tr("Share of the bandwidth in use: mean over the time and over the cables that are alike.");
    if (role == Qt::ToolTipRole && section == busiestColumn) return tr("The same for the busiest of the cables that are alike.");
    if (role == Qt::ToolTipRole && section == capacityColumn) return tr("All cables that are alike together, in one direction.");
    if (role != Qt::DisplayRole) return {};
    if (section != sortColumn_) return title(section);
    return QString(title(section) + (sortOrder_ == Qt::DescendingOrder ? QStringLiteral(" ↓") : QStringLiteral(" ↑")));
}

QByteArray LinkLoadModel::csv(const std::vector<int>& rows) const {
    if (!traffic_.isKnown()) return {};
    const bool moment = traffic_.scope() == NetworkTraffic::Scope::moment;
    QByteArray out = "link,kind,from,to,";
    out += moment ? "bytes_per_s" : "bytes";
    out += ",load,busiest,capacity_bytes_per_s,copies,from_s,to_s,users\n";
    const auto plain = [](double value) { return QByteArray::number(value, 'g', 12); };
    for (const int row : rows) {
        const int link = linkAt(row);
        const ReportLink& one = traffic_.network().links[static_cast<std::size_t>(link)];
        const LinkLoad& now = load(link);
        const char* kind = one.kind == LinkKind::cable ? "cable" : one.kind == LinkKind::scale_up ? "scale_up"
                                                                                                  : "pcie";
        out += csvField(linkTitle(one)) + ',' + kind + ',' + csvField(QString::fromStdString(one.from)) + ',' + csvField(QString::fromStdString(one.to)) + ',';
        out += plain(now.bytes) + ',' + plain(now.mean) + ',' + plain(now.peak) + ',' + plain(one.capacity) + ',' + QByteArray::number(one.copies) + ',';
        out += plain(traffic_.from()) + ',' + plain(traffic_.to()) + ',';
        QStringList users;
        for (const auto& [op, bytes] : now.users)
            if (op < traffic_.timeline().operators.size()) users << QString::fromStdString(traffic_.timeline().operators[op].op.name);
        out += csvField(users.join(QStringLiteral("; "))) + '\n';
    }
    return out;
}

} // namespace orrery
