// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/user_catalog.hpp"

#include "app/common/operator_tables.hpp"
#include "resources/shipped_catalog.hpp"

#include <utility>

namespace orrery {

Catalog userCatalog(Problems& problems) {
    Catalog catalog = shippedCatalog();
    Catalog::OperatorTimes times = catalog.operatorTimes();
    std::shared_ptr<const MeasuredTimes> own = userMeasuredTimes(catalog, problems);
    if (!own || own->empty()) return catalog;
    times.measured = std::move(own);
    catalog.setOperatorTimes(std::move(times));
    return catalog;
}

} // namespace orrery
