#include "resources/shipped_catalog.hpp"

#include "resources/resources.hpp"

#include <string>

namespace orrery {

Catalog shippedCatalog() {
    return Catalog::fromText([](std::string_view name) { return resourceText("catalog/" + std::string(name)); });
}

} // namespace orrery
