// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/own_markup.hpp"

#include <QRandomGenerator>

namespace orrery {
namespace {

const QString& openingMark() {
    static const QString mark = [] {
        constexpr int hexadecimal = 16;
        return QStringLiteral("<qt class=\"own-%1\">").arg(QRandomGenerator::system()->generate64(), 0, hexadecimal);
    }();
    return mark;
}

} // namespace

QString ownMarkup(const QString& html) { return html.isEmpty() ? html : openingMark() + html + QStringLiteral("</qt>"); }

bool isOwnMarkup(const QString& text) { return text.startsWith(openingMark()); }

} // namespace orrery
