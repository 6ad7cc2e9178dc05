// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/document/cluster_document.hpp"

#include <QByteArray>

namespace orrery {

/// The drawing as a table: a line for each node, then one for each link.
QByteArray clusterCsv(const ClusterDocument& document);

} // namespace orrery
