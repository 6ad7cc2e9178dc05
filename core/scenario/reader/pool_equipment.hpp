// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/serving_workload.hpp"

namespace orrery {

class Catalog; // core/catalog

/// Gives the hosts of pools on another accelerator than the cluster's their own fabrics: what the document as `given` states of a fabric holds
/// for every host, what it leaves out is the accelerator's usual platform's and noted as assumed. A short form's hosts are told apart.
void joinPools(Cluster& cluster, const Disaggregation& pools, const Json& given, FilledDocument& document, const Catalog& catalog, Problems& problems);

/// What else follows from the accelerator of such a pool: rates, tables, communication library. `scenario` stands whole but for these.
void equipPools(Scenario& scenario, FilledDocument& document, const Catalog& catalog);

} // namespace orrery
