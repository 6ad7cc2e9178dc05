// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/catalog_document.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/listed_entries.hpp"

namespace orrery {

namespace {

template <typename Entry>
Json documents(const Catalog& catalog, const std::vector<Entry>& entries) {
    Json list = Json::array();
    for (const Entry& entry : entries) list.push_back(listedEntry(catalog, entry));
    return list;
}

} // namespace

Json catalogDocument(const Catalog& catalog, const std::string& what) {
    Json list;
    if (what == "accelerators") list = documents(catalog, catalog.accelerators());
    else if (what == "platforms") list = documents(catalog, catalog.platforms());
    else if (what == "models") list = documents(catalog, catalog.models());
    else list = documents(catalog, catalog.frameworks());
    return Json{{"format", "orrery-list/1"}, {what, std::move(list)}};
}

} // namespace orrery
