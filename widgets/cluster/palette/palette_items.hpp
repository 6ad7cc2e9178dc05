// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/network/generators/generator_table.hpp"

#include <QPainter>
#include <QString>
#include <functional>
#include <vector>

namespace orrery {

class Catalog; // core/catalog
class Theme;

enum class PaletteGroup { host,
                          switch_,
                          platform };
enum class PaletteIcon { host,
                         leaf,
                         spine,
                         rails,
                         rack,
                         leaf_spine,
                         tree,
                         dragonfly,
                         torus };

/// One thing that can be placed: what it is called and what it makes.
struct PaletteItem {
    PaletteGroup group = PaletteGroup::host;
    PaletteIcon icon = PaletteIcon::host;
    QString key;         ///< stable: "host:dgx-h100"
    QString label;       ///< "DGX H100"
    QString detail;      ///< "8 × H100"
    int squares = 8;     ///< accelerators on the icon
    bool hidden = false; ///< behind "More hosts"
    int number = 0;      ///< what a platform is asked for first; 0: nothing to ask
    int leastNumber = 1;
    int mostNumber = 0;
    int numberStep = 1;
    QString numberName;                          ///< "hosts", "racks"
    std::function<Json(int number)> make;        ///< the fragment
    std::function<QString(int number)> placedAs; ///< for the undo text; left out: "8 × DGX H100"
    /// \name Of platforms, for a form with all parameters.
    ///@{
    std::string generator; ///< id
    std::string platform;  ///< id, whose hosts they are
    std::function<ParameterValues(int number)> values;
    ///@}
};

/// Hosts of the catalogue's platforms, switches, and whole platforms.
std::vector<PaletteItem> paletteItems(const Catalog& catalog);

void paintPaletteIcon(QPainter& painter, const QRectF& area, const PaletteItem& item, const Theme& theme);

class Catalog; // core/catalog

/// The palette's whole platforms: the core's generators, each with one number asked for and the rest as it is usual.
std::vector<PaletteItem> platformItems(const Catalog& catalog);

/// The topology as a fragment for the canvas. Large clusters are drawn with stacks of hosts where the generator has them;
/// `values` may say otherwise.
GeneratedTopology generateDrawing(const Generator& generator, const HostSpec& host, ParameterValues values);

/// Whether that many hosts are drawn as stacks where nothing else is said.
bool drawnAsStacks(const Json& topology);

} // namespace orrery
