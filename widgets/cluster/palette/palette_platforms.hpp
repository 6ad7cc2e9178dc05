// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/palette/palette_items.hpp"

namespace orrery {

class Catalog; // core/catalog

/// The palette's whole platforms: the core's generators, each with one number asked for and the rest as it is usual.
std::vector<PaletteItem> platformItems(const Catalog& catalog);

/// The topology as a fragment for the canvas. Large clusters are drawn with stacks of hosts where the generator has them;
/// `values` may say otherwise.
GeneratedTopology generateDrawing(const Generator& generator, const HostSpec& host, ParameterValues values);

/// Whether that many hosts are drawn as stacks where nothing else is said.
bool drawnAsStacks(const Json& topology);

} // namespace orrery
