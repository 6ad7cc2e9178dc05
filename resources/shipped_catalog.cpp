#include "resources/shipped_catalog.hpp"

#include "resources/resources.hpp"
#include "resources/shipped_predictor.hpp"

#include <string>

namespace orrery {

Catalog shippedCatalog() {
    Catalog catalog = Catalog::fromText([](std::string_view name) { return resourceText("catalog/" + std::string(name)); });
    catalog.setOperatorTimes({shippedPredictor(), nullptr});
    return catalog;
}

} // namespace orrery
