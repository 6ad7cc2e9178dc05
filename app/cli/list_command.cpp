// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "core/base/json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/listed_entries.hpp"
#include "core/model/architecture.hpp"
#include "resources/shipped_catalog.hpp"

#include <iostream>
#include <string>

namespace orrery {
namespace {

template <typename Entry>
Json documents(const Catalog& catalog, const std::vector<Entry>& entries) {
    Json list = Json::array();
    for (const Entry& entry : entries) list.push_back(listedEntry(catalog, entry));
    return list;
}

/// `{"format": "orrery-list/1", WHAT: [...]}` for "models", "accelerators", "platforms" or "frameworks". Keys are those that
/// scenario files use: an accelerator printed here can be pasted into `/cluster/accelerator`.
Json catalogDocument(const Catalog& catalog, const std::string& what) {
    Json list;
    if (what == "accelerators") list = documents(catalog, catalog.accelerators());
    else if (what == "platforms") list = documents(catalog, catalog.platforms());
    else if (what == "models") list = documents(catalog, catalog.models());
    else list = documents(catalog, catalog.frameworks());
    return Json{{"format", "orrery-list/1"}, {what, std::move(list)}};
}

std::string gigabytesPerSecond(double bytesPerSecond) { return fixedText(bytesPerSecond / units::gigabyte, 1); }

std::string origin(const Citation& citation) {
    std::string text = citation.source;
    if (!citation.fromMemory.empty()) {
        text += text.empty() ? "from memory: " : "; from memory: ";
        for (std::size_t i = 0; i < citation.fromMemory.size(); ++i) text += (i > 0 ? ", " : "") + citation.fromMemory[i];
    }
    return text;
}

TextTable accelerators(const Catalog& catalog) {
    TextTable table({"id", "name", "bf16 TFLOP/s", "memory", "GB/s", "scale-up GB/s", "source"});
    table.setLeft(1);
    table.setLeft(6);
    for (const Accelerator& one : catalog.accelerators()) {
        const auto rate = one.peakDense.find("bf16");
        table.add({one.id, one.name, rate == one.peakDense.end() ? "–" : fixedText(rate->second / units::tera, 0),
                   bytesText(one.memoryBytes), gigabytesPerSecond(one.memoryBandwidth),
                   gigabytesPerSecond(one.scaleUpBandwidth), origin(one.citation)});
    }
    return table;
}

TextTable platforms(const Catalog& catalog) {
    TextTable table({"id", "name", "accelerator", "per node", "scale-up GB/s", "scale-out GB/s", "usual", "source"});
    table.setLeft(1);
    table.setLeft(2);
    table.setLeft(7);
    for (const Platform& one : catalog.platforms()) {
        table.add({one.id, one.name, one.accelerator, std::to_string(one.acceleratorsPerNode),
                   gigabytesPerSecond(one.scaleUpBandwidth), gigabytesPerSecond(one.scaleOutBandwidth),
                   one.usual ? "yes" : "", origin(one.citation)});
    }
    return table;
}

TextTable models(const Catalog& catalog) {
    TextTable table({"id", "name", "type", "source"});
    table.setLeft(1);
    table.setLeft(2);
    table.setLeft(3);
    for (const ModelEntry& one : catalog.models()) {
        const auto type = one.config->find("model_type");
        const bool known = type != one.config->end() && type->is_string();
        Problems problems;
        const bool runs = importArchitecture(one.config, "", problems).has_value();
        table.add({one.id, one.name, (known ? type->get<std::string>() : "–") + (runs ? "" : " (can't run)"), origin(one.citation)});
    }
    return table;
}

TextTable frameworks(const Catalog& catalog) {
    TextTable table({"id", "name", "source"});
    table.setLeft(1);
    table.setLeft(2);
    for (const FrameworkProfile& one : catalog.frameworks()) table.add({one.id, one.name, origin(one.citation)});
    return table;
}

} // namespace

int runList(const ListOptions& options) {
    const Catalog catalog = shippedCatalog();
    if (options.json) {
        printDocument(catalogDocument(catalog, options.what));
        return exit_done;
    }
    if (options.what == "accelerators") accelerators(catalog).print(std::cout);
    else if (options.what == "platforms") platforms(catalog).print(std::cout);
    else if (options.what == "models") models(catalog).print(std::cout);
    else frameworks(catalog).print(std::cout);
    return exit_done;
}

} // namespace orrery
