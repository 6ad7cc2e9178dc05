// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/palette/palette_items.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/node_names.hpp"
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

namespace {

struct PlatformText {
    Q_DECLARE_TR_FUNCTIONS(ClusterPalette)
};

constexpr std::int64_t mostDrawnHosts = 64; ///< above, equal hosts are drawn as one where the generator can

bool asks(const Generator& generator, std::string_view key) {
    return std::any_of(generator.parameters.begin(), generator.parameters.end(), [&](const GeneratorParameter& p) { return p.key == key; });
}

/// Three factors of `n` as near to each other as whole numbers can be, the smallest first: 8 is 2 · 2 · 2, 12 is 2 · 2 · 3.
std::array<int, 3> threeFactors(int n) {
    std::array<int, 3> best{1, 1, n};
    for (int a = 1; a * a * a <= n; ++a)
        for (int b = a; a * b * b <= n; ++b)
            if (n % (a * b) == 0 && n / (a * b) < best[2]) best = {a, b, n / (a * b)};
    return best;
}

PaletteItem generated(const char* generator, const char* key, const Platform& platform) {
    PaletteItem item;
    item.group = PaletteGroup::platform;
    item.key = QLatin1String(key) + QStringLiteral(":") + QString::fromStdString(platform.id);
    item.generator = generator;
    item.platform = platform.id;
    return item;
}

/// What doesn't depend on the number, with the number itself under one key.
std::function<ParameterValues(int)> oneValue(std::string key, ParameterValues others = {}) {
    return [key = std::move(key), others = std::move(others)](int number) {
        ParameterValues values = others;
        values[key] = number;
        return values;
    };
}

PaletteItem superPod(const Platform& platform, const QString& label, int number, ParameterValues others = {}) {
    PaletteItem item = generated("superpod", "platform", platform);
    item.icon = PaletteIcon::rails;
    item.label = label;
    item.detail = PlatformText::tr("rail-optimised");
    item.number = number;
    item.mostNumber = 4096;
    item.numberName = PlatformText::tr("hosts");
    item.values = oneValue("hosts", std::move(others));
    return item;
}

PaletteItem racks(const Platform& platform) {
    PaletteItem item = generated("racks", "platform", platform);
    item.icon = PaletteIcon::rack;
    item.label = PlatformText::tr("NVL72");
    item.detail = PlatformText::tr("GB200 racks");
    item.number = 1;
    item.mostNumber = 512;
    item.numberName = PlatformText::tr("racks");
    item.values = oneValue("racks");
    return item;
}

PaletteItem tpuPod(const Platform& platform) {
    PaletteItem item = generated("tpu-torus", "platform", platform);
    item.icon = PaletteIcon::torus;
    item.label = PlatformText::tr("TPU v5p");
    item.detail = PlatformText::tr("torus of 4³ cubes");
    item.number = 1;
    item.mostNumber = 140; // 8,960 chips
    item.numberName = PlatformText::tr("cubes of 64 chips");
    const double chip = platform.scaleUpBandwidth / 1e9;
    item.values = [chip](int cubes) {
        const std::array<int, 3> sides = threeFactors(cubes);
        return ParameterValues{{"x", 4 * sides[0]}, {"y", 4 * sides[1]}, {"z", 4 * sides[2]}, {"chip_bandwidth_gb_s", chip}};
    };
    item.placedAs = [](int cubes) { return PlatformText::tr("%1 TPU v5p chips").arg(64 * cubes); };
    return item;
}

/// The general networks, of the hosts that most clusters have.
std::vector<PaletteItem> networks(const Platform& platform) {
    const QString of = PlatformText::tr("of %1").arg(QString::fromStdString(platform.name));
    std::vector<PaletteItem> items;
    PaletteItem item = generated("leaf-spine", "leaf-spine", platform);
    item.icon = PaletteIcon::leaf_spine;
    item.label = PlatformText::tr("Leaf and spine");
    item.detail = of;
    item.number = 16;
    item.mostNumber = 8192;
    item.numberName = PlatformText::tr("hosts");
    item.values = oneValue("hosts");
    item.placedAs = [](int hosts) { return PlatformText::tr("leaf and spine for %1 hosts").arg(hosts); };
    items.push_back(item);

    item = generated("fat-tree", "fat-tree", platform);
    item.icon = PaletteIcon::tree;
    item.label = PlatformText::tr("Fat tree");
    item.detail = of;
    item.number = 4;
    item.leastNumber = 2;
    item.numberStep = 2;
    item.mostNumber = 32;
    item.numberName = PlatformText::tr("ports of a switch (k)");
    item.values = [](int k) { return ParameterValues{{"k", k + k % 2}}; }; // half the ports look up, half down
    item.placedAs = [](int k) { return PlatformText::tr("fat tree of %1-port switches").arg(k + k % 2); };
    items.push_back(item);

    item = generated("dragonfly", "dragonfly", platform);
    item.icon = PaletteIcon::dragonfly;
    item.label = PlatformText::tr("Dragonfly");
    item.detail = of;
    item.number = 2;
    item.mostNumber = 6;
    item.numberName = PlatformText::tr("hosts of a router");
    // Balanced as the paper has it: twice as many routers in a group as hosts, and as global links, on a router.
    item.values = [](int p) { return ParameterValues{{"hosts_per_router", p}, {"routers_per_group", 2 * p}, {"global_links_per_router", p}}; };
    item.placedAs = [](int p) { return PlatformText::tr("dragonfly of %1 groups").arg(2 * p * p + 1); };
    items.push_back(item);

    item = generated("torus-2d", "torus-2d", platform);
    item.icon = PaletteIcon::torus;
    item.label = PlatformText::tr("2D torus");
    item.detail = of;
    item.number = 4;
    item.mostNumber = 40;
    item.numberName = PlatformText::tr("hosts along a side");
    item.values = [](int n) { return ParameterValues{{"x", n}, {"y", n}}; };
    item.placedAs = [](int n) { return PlatformText::tr("%1 × %1 torus").arg(n); };
    items.push_back(item);

    item = generated("torus-3d", "torus-3d", platform);
    item.icon = PaletteIcon::torus;
    item.label = PlatformText::tr("3D torus");
    item.detail = of;
    item.number = 3;
    item.mostNumber = 12;
    item.numberName = PlatformText::tr("hosts along a side");
    item.values = [](int n) { return ParameterValues{{"x", n}, {"y", n}, {"z", n}}; };
    item.placedAs = [](int n) { return PlatformText::tr("%1 × %1 × %1 torus").arg(n); };
    items.push_back(item);
    return items;
}

} // namespace

bool drawnAsStacks(const Json& topology) { return totalsOf(topology).hosts > mostDrawnHosts; }

GeneratedTopology generateDrawing(const Generator& generator, const HostSpec& host, ParameterValues values) {
    if (!asks(generator, "stacks") || values.contains("stacks")) return generator.make(host, values);
    values["stacks"] = 1;
    GeneratedTopology stacked = generator.make(host, values);
    if (!stacked.ok() || drawnAsStacks(stacked.topology)) return stacked;
    values["stacks"] = 0;
    return generator.make(host, values);
}

std::vector<PaletteItem> platformItems(const Catalog& catalog) {
    std::vector<PaletteItem> items;
    if (const Platform* p = catalog.platform("dgx-h100")) items.push_back(superPod(*p, PlatformText::tr("DGX H100"), 8));
    // DGX A100's SuperPOD has units of 20 and switches of 40 HDR ports.
    if (const Platform* p = catalog.platform("dgx-a100-80gb"))
        items.push_back(superPod(*p, PlatformText::tr("DGX A100"), 4, {{"hosts_per_unit", 20}, {"switch_ports", 40}}));
    if (const Platform* p = catalog.platform("dgx-b200")) items.push_back(superPod(*p, PlatformText::tr("HGX B200"), 8));
    if (const Platform* p = catalog.platform("gb200-nvl72")) items.push_back(racks(*p));
    if (const Platform* p = catalog.platform("mi300x-platform")) items.push_back(superPod(*p, PlatformText::tr("MI300X"), 8));
    if (const Platform* p = catalog.platform("tpu-v5p-pod")) items.push_back(tpuPod(*p));
    if (const Platform* p = catalog.platform("dgx-h100"))
        for (PaletteItem& item : networks(*p)) items.push_back(std::move(item));
    for (PaletteItem& item : items)
        if (const Platform* platform = catalog.platform(item.platform))
            item.make = [generator = findGenerator(item.generator), host = hostOf(*platform), values = item.values](int number) {
                return generatedFragment(generateDrawing(*generator, host, values(number)));
            };
    return items;
}

} // namespace orrery
