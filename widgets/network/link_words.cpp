// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/network/link_words.hpp"

#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace orrery {
namespace {

QString text(const char* source) { return QCoreApplication::translate("orrery::LinkWords", source); }

} // namespace

QString linkTitle(const ReportLink& link) {
    const QString from = QString::fromStdString(link.from), to = QString::fromStdString(link.to);
    switch (link.kind) {
    case LinkKind::cable: return (link.backward ? to : from) + QStringLiteral(" – ") + (link.backward ? from : to);
    case LinkKind::scale_up: return text("%1 · scale-up").arg(from);
    case LinkKind::pcie: return text("%1 · PCIe").arg(from);
    }
    return {};
}

QString linkDirection(const ReportLink& link) {
    if (link.kind == LinkKind::cable) return QStringLiteral("→ ") + QString::fromStdString(link.to);
    return link.backward ? text("into the accelerators") : text("out of the accelerators");
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
    if (left > 0 && !shown.isEmpty()) shown << text("%1 more").arg(left);
    return shown.join(QStringLiteral(" · "));
}

} // namespace orrery
