// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/catalog/platform.hpp"
#include "core/network/generators/topology_builder.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/common/operator_words.hpp"

#include <QString>

#include <string>

namespace orrery {

class Catalog; // core/catalog

/// "H100" for "NVIDIA H100 SXM5 80GB": what fits on a card. The id itself when the catalogue does not know it.
QString shortAcceleratorName(const std::string& accelerator, const Catalog& catalog);

/// The platform as sold that a host looks like: same accelerator and count, else the accelerator's usual one; null: unknown.
const Platform* platformOf(const DrawnNode& host, const Catalog& catalog);

/// The platform as sold that a host of a drawing is: accelerator, count and, of several platforms alike in those, the one with its
/// network cards. Null: as drawn it isn't sold.
const Platform* soldAs(const ClusterDocument& document, std::size_t node, const Catalog& catalog);

/// "DGX H100", "GB200 tray" for a host that is a part of a rack as sold, or "8 × H100" where no platform is exactly that.
QString hostName(const DrawnNode& host, const Catalog& catalog);

/// "NVSwitch": what joins the accelerators of a host. Empty for a host with fewer than two.
QString scaleUpName(const DrawnNode& host, const Catalog& catalog);

/// One host of the platform as a node of the drawn form, named "STEM-0".
Json hostNode(const Platform& platform);

/// What a new link between two nodes is most likely to be: the host's network cards that are not cabled yet, or, between
/// switches, a link like those they already have.
LinkDefaults linkDefaults(const ClusterDocument& document, int from, int to, const Catalog& catalog);

} // namespace orrery
