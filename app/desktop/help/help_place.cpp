// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/help/help_place.hpp"

#include <QString>
#include <QWidget>

#include <optional>

namespace orrery {
namespace {

/// A heading of the page of panels by the id of a panel, "load": "Load".
ManualPlace panelPlace(const QString& id) { return {"panels", (id.left(1).toUpper() + id.mid(1)).toStdString()}; }

std::optional<ManualPlace> placeOfName(const QString& name) {
    if (name.startsWith(u'/')) return placeOfKey(name.section(u':', 0, 0).toStdString());
    if (name.startsWith(QLatin1String("headline/"))) return placeOfFigure(name.mid(8).toStdString());
    if (name.startsWith(QLatin1String("dock."))) return panelPlace(name.mid(5));
    return std::nullopt;
}

} // namespace

ManualPlace helpPlaceOf(const QWidget* widget) {
    for (; widget; widget = widget->parentWidget())
        if (const auto place = placeOfName(widget->objectName())) return *place;
    return {"index", ""};
}

} // namespace orrery
