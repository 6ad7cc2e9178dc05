// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/palette/palette_items.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_fragment.hpp"
#include "widgets/cluster/palette/palette_platforms.hpp"
#include "widgets/common/theme.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

namespace orrery {
namespace {

struct PaletteText {
    Q_DECLARE_TR_FUNCTIONS(ClusterPalette)
};

/// Shown without asking for more, where the catalogue has them.
constexpr std::array<std::string_view, 5> commonHosts{"dgx-a100-80gb", "dgx-h100", "dgx-b200", "gb200-nvl72", "mi300x-platform"};

bool isRack(const Platform& platform) { return platform.scaleUpDomain > platform.acceleratorsPerNode; }

PaletteItem hostItem(const Platform& platform, const Catalog& catalog) {
    PaletteItem item;
    item.key = QStringLiteral("host:") + QString::fromStdString(platform.id);
    const QString chip = shortAcceleratorName(platform.accelerator, catalog);
    item.label = isRack(platform) && platform.id.find("nvl") != std::string::npos ? PaletteText::tr("%1 tray").arg(chip)
                                                                                  : QString::fromStdString(platform.name);
    item.detail = QString::number(platform.acceleratorsPerNode) + QStringLiteral(" × ") + chip;
    item.squares = platform.acceleratorsPerNode;
    item.make = [platform](int) { return makeFragment(Json::array({hostNode(platform)}), Json::array(), {}); };
    return item;
}

PaletteItem switchItem(const char* stem, const QString& label, const QString& detail, PaletteIcon icon) {
    PaletteItem item;
    item.group = PaletteGroup::switch_;
    item.icon = icon;
    item.key = QStringLiteral("switch:") + QLatin1String(stem);
    item.label = label;
    item.detail = detail;
    const std::string id = std::string(stem) + "-0";
    item.make = [id](int) { return makeFragment(Json::array({Json{{"id", id}, {"kind", "switch"}}}), Json::array(), {}); };
    return item;
}

} // namespace

std::vector<PaletteItem> paletteItems(const Catalog& catalog) {
    std::vector<PaletteItem> items;
    for (const std::string_view id : commonHosts)
        if (const Platform* platform = catalog.platform(id)) items.push_back(hostItem(*platform, catalog));
    for (const Platform& platform : catalog.platforms()) {
        if (std::find(commonHosts.begin(), commonHosts.end(), platform.id) != commonHosts.end()) continue;
        items.push_back(hostItem(platform, catalog));
        items.back().hidden = true;
    }
    items.push_back(switchItem("leaf", PaletteText::tr("Leaf switch"), PaletteText::tr("joins hosts"), PaletteIcon::leaf));
    items.push_back(switchItem("spine", PaletteText::tr("Spine switch"), PaletteText::tr("joins leaves"), PaletteIcon::spine));
    for (PaletteItem& item : platformItems(catalog)) items.push_back(std::move(item));
    return items;
}

void paintPaletteIcon(QPainter& painter, const QRectF& area, const PaletteItem& item, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QPointF centre = area.center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const auto box = [&](QRectF r, double radius) {
        painter.setPen(QPen(c.faint, 1));
        painter.setBrush(c.panel);
        painter.drawRoundedRect(r, radius, radius);
    };
    const auto square = [&](double x, double y, double size) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.firstStage); // a place, not a phase
        painter.drawRoundedRect(QRectF(x, y, size, size), 1, 1);
    };
    const auto line = [&](QPointF a, QPointF b) {
        painter.setPen(QPen(c.faint, 1));
        painter.drawLine(a, b);
    };
    switch (item.icon) {
    case PaletteIcon::host: {
        box({centre.x() - 13.5, centre.y() - 9.5, 27, 19}, 3);
        const int rows = item.squares > 4 ? 2 : 1;
        for (int i = 0; i < std::min(8, item.squares); ++i)
            square(centre.x() - 10.5 + (i % 4) * 5.5, centre.y() - (rows == 2 ? 6.5 : 3.5) + (i / 4) * 5.5, 4);
        painter.setBrush(c.faint);
        painter.drawRect(QRectF(centre.x() - 10.5, centre.y() + 5, 20.5, 1.5));
        break;
    }
    case PaletteIcon::leaf:
    case PaletteIcon::spine: {
        box({centre.x() - 13.5, centre.y() - 4.5, 27, 9}, 3);
        for (int i = 0; i < 5; ++i) {
            const double x = centre.x() - 10 + i * 5;
            const bool up = item.icon == PaletteIcon::spine;
            line({x, centre.y() + (up ? 4.5 : 4.5)}, {x, centre.y() + 8.5});
            if (!up && i % 2 == 0) line({x, centre.y() - 4.5}, {x, centre.y() - 8.5});
        }
        break;
    }
    case PaletteIcon::rails:
    case PaletteIcon::leaf_spine: {
        const bool rails = item.icon == PaletteIcon::rails;
        const double top = centre.y() - 8, bottom = centre.y() + 5;
        for (int host = 0; host < 3; ++host)
            for (int leaf = 0; leaf < 3; ++leaf)
                if (rails || leaf == host || host == 1)
                    line({centre.x() - 9 + leaf * 9, top + 2}, {centre.x() - 9 + host * 9, bottom});
        for (int i = 0; i < 3; ++i) {
            box({centre.x() - 12 + i * 9, top - 1.5, 6, 3.5}, 1);
            square(centre.x() - 12 + i * 9, bottom, 6);
        }
        break;
    }
    case PaletteIcon::rack:
        box({centre.x() - 8.5, centre.y() - 11.5, 17, 23}, 2.5);
        for (int row = 0; row < 4; ++row)
            for (int k = 0; k < 3; ++k) square(centre.x() - 5.5 + k * 4, centre.y() - 8.5 + row * 4.5, 3);
        break;
    case PaletteIcon::tree: {
        // Two pods below one core.
        const double top = centre.y() - 10, middle = centre.y() - 2, bottom = centre.y() + 5;
        for (int pod = 0; pod < 2; ++pod) {
            const double x = centre.x() - 7 + pod * 14;
            line({centre.x(), top + 2}, {x, middle});
            for (int host = 0; host < 2; ++host) {
                line({x, middle + 2}, {x - 4 + host * 8, bottom});
                square(x - 6.5 + host * 8, bottom, 5);
            }
            box({x - 3, middle - 1, 6, 3.5}, 1);
        }
        box({centre.x() - 3.5, top - 1, 7, 3.5}, 1);
        break;
    }
    case PaletteIcon::dragonfly: {
        std::array<QPointF, 5> groups;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 5 - std::numbers::pi / 2;
            groups[i] = centre + QPointF(11 * std::cos(angle), 9.5 * std::sin(angle));
        }
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t k = 0; k < i; ++k) line(groups[i], groups[k]);
        for (const QPointF& at : groups) square(at.x() - 2.5, at.y() - 2.5, 5);
        break;
    }
    case PaletteIcon::torus:
        for (int i = 0; i < 3; ++i) {
            line({centre.x() - 13, centre.y() - 7 + i * 7.0}, {centre.x() + 13, centre.y() - 7 + i * 7.0});
            line({centre.x() - 7 + i * 7.0, centre.y() - 12}, {centre.x() - 7 + i * 7.0, centre.y() + 12});
        }
        for (int i = 0; i < 9; ++i) square(centre.x() - 9.5 + i % 3 * 7, centre.y() - 9.5 + i / 3 * 7, 5);
        break;
    }
    painter.restore();
}

} // namespace orrery
