// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/shipped_catalog.hpp"

#include "resources/resources.hpp"
#include "resources/shipped_predictor.hpp"

#include <string>

namespace orrery {

Catalog shippedSpecifications() {
    return Catalog::fromText([](std::string_view name) { return resourceText("catalog/" + std::string(name)); });
}

Catalog shippedCatalog() {
    Catalog catalog = shippedSpecifications();
    catalog.setOperatorTimes({shippedPredictor(), nullptr});
    return catalog;
}

} // namespace orrery
