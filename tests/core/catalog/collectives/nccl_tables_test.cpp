// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/collectives/library_catalog.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/nccl_tables.hpp"

#include <gtest/gtest.h>

#include <iostream>

/// The shipped constants against every measured table of collectives.
namespace orrery {
namespace {

using namespace orrery::test;

TEST(NcclTables, AreMetFromTheDataSheetAndFewConstants) {
    ORRERY_REQUIRE_SHARED("reference/nccl.json");
    ORRERY_REQUIRE_SHARED("reference/nccl_domains.json");
    const NcclTables reference = NcclTables::load();
    const Catalog catalog = shippedCatalog();
    const LibraryCatalog libraries = LibraryCatalog::fromText(resourceText("catalog/collectives.json"));
    CollectiveErrors all;
    std::map<std::string, CollectiveErrors> tables;
    for (const Json& table : reference.tables) {
        const std::string id = table.at("id").get<std::string>();
        const Json* platform = reference.platformOf(table);
        ASSERT_NE(platform, nullptr) << "no platform for the hardware of " << id;
        const std::string accelerator = platform->at("accelerator").get<std::string>();
        const Platform* usual = catalog.usualPlatform(accelerator);
        ASSERT_NE(usual, nullptr) << accelerator;
        const LibraryConstants constants = libraries.constants(accelerator, platform->value("network", std::string()));
        EXPECT_TRUE(constants.measured && constants.inheritedFrom.empty()) << accelerator;

        LibraryRequest request;
        request.kind = collectiveNamed(table.at("collective").get<std::string>());
        ASSERT_NE(request.kind, CollectiveKind::none) << id;
        request.ranks = table.at("ranks").get<int>();
        const int domain = platform->at("scale_up_domain").get<int>();
        request.domains = (request.ranks + domain - 1) / domain;
        request.membersPerDomain = request.ranks / request.domains;
        request.upBandwidth = usual->scaleUpBandwidth;
        if (request.domains > 1) {
            request.outBandwidth = platform->at("scale_out_gb_per_s").get<double>() * units::gigabyte;
            request.outLatency = 2 * usual->scaleOutLatency; // through one switch
        }
        CollectiveErrors errors;
        for (const Json& row : table.at("rows")) {
            request.bytes = row.at(0).get<double>();
            const double measured = row.at(1).get<double>() * units::microsecond;
            errors.add(request.bytes, 100 * (chooseAlgorithm(constants, request).time / measured - 1));
        }
        std::cout << std::left << std::setw(44) << id << errors.line() << '\n';
        all.add(errors);
        tables[id] = errors;
    }
    std::cout << std::left << std::setw(44) << "all rows" << all.line() << '\n';
    expectTablesMet(all, tables);
}

} // namespace
} // namespace orrery
